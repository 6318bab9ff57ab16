import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { FoundItem } from '../../api/types';
import { TemporaryContextBadge, VerifiedBadge } from '../../components/Badge';
import { ask } from '../../messages/ask';
import { useFormat, useMessages } from '../../messages/language';
import { useMay } from '../../session';
import { Marked } from './Marked';
import { Match } from './Match';

interface Ranked {
  item: FoundItem;
  rank: number;
}

/** What is served: verified memories and temporary context clearly apart, each with its place in the answer. */
export function Results({ items }: { items: FoundItem[] }) {
  const t = useMessages(ask);
  const ranked = items.map((item, index) => ({ item, rank: index + 1 }));
  return (
    <div className="space-y-9">
      <Section
        title={`✅ ${t.verified}`}
        help={t.verifiedHelp}
        none={t.noVerified}
        results={ranked.filter(({ item }) => item.verified)}
      />
      <Section
        title={`⚡️ ${t.temporary}`}
        help={t.temporaryHelp}
        none={t.noTemporary}
        results={ranked.filter(({ item }) => !item.verified)}
      />
    </div>
  );
}

function Section({ title, help, none, results }: { title: string; help: string; none: string; results: Ranked[] }) {
  const { number } = useFormat();
  return (
    <section>
      <h2 className="flex items-baseline gap-2 text-base font-semibold">
        {title}
        <span className="figures text-sm font-normal text-faint">{number(results.length)}</span>
      </h2>
      <p className="mt-0.5 mb-3 text-sm text-pretty text-muted">{help}</p>
      {results.length === 0 ? (
        <p className="rounded-xl border border-dashed border-strong px-4 py-5 text-sm text-muted">{none}</p>
      ) : (
        <ol className="space-y-3">
          {results.map((result) => (
            <li key={result.item.id}>
              <Result {...result} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function Result({ item, rank }: Ranked) {
  const look = item.verified
    ? 'border-line border-l-verified bg-surface'
    : 'border-dashed border-temporary-line bg-surface/60';
  return (
    <article className={`rounded-xl border px-4 py-3.5 ${item.verified ? 'border-l-[3px]' : ''} ${look}`}>
      <div className="mb-2 flex flex-wrap items-center gap-2">
        {item.verified ? <VerifiedBadge /> : <TemporaryContextBadge expiresAt={item.expires_at} />}
        <Rank rank={rank} />
      </div>
      <Marked text={item.content} words={item.why?.words ?? []} />
      <Match item={item} />
      <p className="mt-2.5 flex flex-wrap justify-between gap-x-4 gap-y-1 text-[13px] text-muted">
        <Origin item={item} />
        <Open item={item} />
      </p>
    </article>
  );
}

function Rank({ rank }: { rank: number }) {
  const t = useMessages(ask);
  const { number } = useFormat();
  return (
    <span className="figures ml-auto text-[13px] text-faint" title={t.place(number(rank))}>
      <span className="sr-only">{t.place(number(rank))}</span>
      <span aria-hidden="true">#{number(rank)}</span>
    </span>
  );
}

function Origin({ item }: { item: FoundItem }) {
  const t = useMessages(ask);
  const { day, time, full } = useFormat();
  if (item.verified) {
    const when = item.promoted_at ?? item.created_at;
    return <span title={full(when)}>{t.approved(item.promoted_by ?? '', day(when))}</span>;
  }
  return (
    <span title={full(item.created_at)}>
      {t.said(item.agent_id ?? t.unnamed, item.session_id ?? '', time(item.created_at))}
    </span>
  );
}

function Open({ item }: { item: FoundItem }): ReactNode {
  const t = useMessages(ask);
  if (!useMay('audit')) return null;
  const [page, id, word] = item.verified
    ? ['longterm', item.memory_id, t.openMemory]
    : ['quarantine', item.entry_id, t.openEntry];
  return (
    id && (
      <Link href={`/${page}/${encodeURIComponent(id)}`} className="link">
        {word}
      </Link>
    )
  );
}
