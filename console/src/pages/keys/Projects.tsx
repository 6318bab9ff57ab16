import { useQueries } from '@tanstack/react-query';
import { Client } from '../../api/client';
import { useClient } from '../../api/context';
import { queryKeys } from '../../api/queryKeys';
import type { Stats } from '../../api/types';
import { Badge } from '../../components/Badge';
import { Button } from '../../components/Button';
import { keys } from '../../messages/keys';
import { useFormat, useMessages } from '../../messages/language';
import { remember } from '../../preferences';
import { useProjects } from '../../session';

/** So many are counted; each is a request of its own. */
const COUNTED = 50;

/** Every project, and how much there is in it. */
export function Projects() {
  const t = useMessages(keys);
  const { number } = useFormat();
  const { data: projects = [] } = useProjects();
  const stats = useQueries({
    queries: projects.slice(0, COUNTED).map((project) => ({
      queryKey: queryKeys.stats(project),
      queryFn: ({ signal }: { signal: AbortSignal }) => new Client({ project }).get<Stats>('/stats', {}, signal),
    })),
  });
  return (
    <section className="mb-9">
      <h2 className="mb-3 flex items-baseline gap-2 text-base font-semibold">
        {t.projects}
        <span className="figures text-sm font-normal text-faint">{number(projects.length)}</span>
      </h2>
      {projects.length === 0 && <p className="text-sm text-muted">{t.noProjects}</p>}
      <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {projects.map((project, at) => (
          <li key={project}>
            <Project name={project} stats={stats[at]?.data} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Project({ name, stats }: { name: string; stats: Stats | undefined }) {
  const t = useMessages(keys);
  const { project } = useClient();
  const open = () => {
    remember('project', name);
    location.assign('/');
  };
  return (
    <div className="flex h-full flex-col panel px-4 py-3">
      <div className="flex min-h-9 items-center justify-between gap-2">
        <h3 className="min-w-0 truncate font-medium" title={name}>
          {name}
        </h3>
        {name === project ? (
          <Badge tone="accent">{t.isOpen}</Badge>
        ) : (
          <Button look="quiet" className="-mr-2" onClick={open}>
            {t.open}
          </Button>
        )}
      </div>
      <dl className="mt-1 flex gap-5 text-sm">
        <Count word={t.entries} value={stats?.recorded} />
        <Count word={t.memories} value={stats?.memories} />
        <Count word={t.waiting} value={stats?.insights_waiting} />
      </dl>
    </div>
  );
}

function Count({ word, value }: { word: string; value: number | undefined }) {
  const { number } = useFormat();
  return (
    <div className="flex flex-col-reverse">
      <dt className="text-xs text-muted">{word}</dt>
      <dd className="figures font-medium">{value === undefined ? '–' : number(value)}</dd>
    </div>
  );
}
