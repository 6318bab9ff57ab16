import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../api/context';
import type { Insight, InsightSource, Receipt } from '../api/types';
import { Badge } from '../parts/Badge';
import { Said } from '../parts/Said';
import { useTold } from '../parts/States';
import { badges } from '../words/badges';
import { digest as words } from '../words/digest';
import { useLanguage, useWords } from '../words/language';
import { Title, Who } from './Evidence';

const FEW = 3;

export interface SourcesProps {
  insight: Insight;
  wide: boolean;
  onWide: () => void;
  linkTo?: (kind: 'entry' | 'memory', id: string) => string;
}

/** Every entry behind an insight, in its own words; the whole entry on demand. */
export function Sources({ insight, wide, onWide, linkTo }: SourcesProps) {
  const say = useWords(words);
  const { sources } = insight;
  const shown = wide ? sources : sources.slice(0, FEW);
  return (
    <section>
      <Title>{say.sources(sources.length)}</Title>
      <ul className="flex flex-col gap-3">
        {shown.map((source) => (
          <li key={source.entry_id}>
            <Quote source={source} {...(linkTo && { href: linkTo('entry', source.entry_id) })} />
          </li>
        ))}
      </ul>
      {sources.length > FEW && (
        <button type="button" onClick={onWide} aria-expanded={wide} className={`mt-3 ${LINK}`}>
          {wide ? say.hide : say.moreSources(sources.length - FEW)}
        </button>
      )}
    </section>
  );
}

const LINK = 'rounded text-sm text-accent underline-offset-4 hover:underline';

function Quote({ source, href }: { source: InsightSource; href?: string }) {
  const say = useWords(words);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className={`border-l-2 pl-3.5 ${source.doubt ? 'border-danger/50' : 'border-strong'}`}>
      <Said className={source.doubt ? 'text-muted' : ''}>{source.quote}</Said>
      <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1">
        <Who source={source} />
        {source.doubt && (
          <Badge tone="danger" title={say.doubtHelp}>
            {say.doubts[source.doubt]}
          </Badge>
        )}
        <button type="button" onClick={() => setIsOpen(!isOpen)} aria-expanded={isOpen} className={LINK}>
          {isOpen ? say.hide : say.whole}
        </button>
      </div>
      {isOpen && <WholeEntry id={source.entry_id} {...(href && { href })} />}
    </div>
  );
}

function WholeEntry({ id, href }: { id: string; href?: string }) {
  const say = useWords(words);
  const { decisions } = useWords(badges);
  const language = useLanguage();
  const client = useClient();
  const { data, error } = useQuery({
    queryKey: [client.project, 'quarantine', id],
    queryFn: ({ signal }) => client.get<Receipt>(`/memory/entries/${encodeURIComponent(id)}`, {}, signal),
  });
  const problem = useTold(error);
  if (problem) return <p className="mt-2 text-sm text-danger">{problem}</p>;
  if (!data) return <div className="mt-2 h-16 animate-pulse rounded-lg bg-sunken" />;
  const { entry, admission } = data;
  return (
    <div className="mt-2 rounded-lg bg-sunken p-3">
      <Said className="text-sm">{entry.content}</Said>
      <div className="mt-2 flex flex-wrap items-center gap-1.5">
        <Badge tone={admission.admitted ? 'verified' : 'danger'}>{decisions[admission.decision]}</Badge>
        {admission.checks
          .filter((check) => !check.passed)
          .map((check) => (
            <Badge key={check.name} title={check.reason[language]}>
              ✘ {check.name}
            </Badge>
          ))}
        {href && (
          <a href={href} className={`ml-auto ${LINK}`}>
            {say.openEntry}
          </a>
        )}
      </div>
    </div>
  );
}
