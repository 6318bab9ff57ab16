import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useClient } from '../api/context';
import { queryKeys } from '../api/queryKeys';
import type { Entry, EntryPage } from '../api/types';
import { Button } from '../components/Button';
import { PageHead } from '../components/PageHead';
import { QuotedText } from '../components/QuotedText';
import { EmptyState, ErrorState, Skeleton } from '../components/States';
import { useRowKeys } from '../hooks/hotkeys';
import { useNow } from '../hooks/now';
import { useFormat, useMessages } from '../messages/language';
import { working } from '../messages/working';
import { useMay } from '../session';
import { Timeline } from './working/Timeline';
import { DAY, leftOf } from './working/time';

const PLACES = 50;

/** What is live now, and how long it still is. */
export default function Working() {
  const t = useMessages(working);
  const client = useClient();
  const now = useNow();
  useRowKeys();
  const { data, error, refetch } = useQuery({
    queryKey: queryKeys.working(client.project),
    queryFn: ({ signal }) => client.get<EntryPage>('/memory/working', {}, signal),
  });
  const live = data?.items.filter((entry) => leftOf(entry, now) > 0) ?? [];
  return (
    <>
      <PageHead title={`⚡️ ${t.title}`} lead={t.lead} />
      {error && <ErrorState error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-24" />}
      {data && live.length === 0 && <Nothing />}
      {live.length > 0 && <Live entries={live} now={now} />}
    </>
  );
}

function Nothing() {
  const t = useMessages(working);
  const mayAudit = useMay('audit');
  const [, go] = useLocation();
  return (
    <EmptyState icon="working" title={t.none} help={t.noneHelp}>
      {mayAudit && <Button onClick={() => go('/quarantine')}>{t.toQuarantine}</Button>}
    </EmptyState>
  );
}

function Live({ entries, now }: { entries: Entry[]; now: number }) {
  const t = useMessages(working);
  const { number, span } = useFormat();
  const [marked, setMarked] = useState<string | null>(null);
  const next = Math.min(...entries.map((entry) => leftOf(entry, now)));
  return (
    <>
      <p role="status" className="figures mb-3 text-sm text-muted">
        <span className="font-medium text-ink">{t.places(number(entries.length), number(PLACES))}</span>
        {` · ${t.next(span(next))}`}
      </p>
      <Timeline entries={entries} now={now} marked={marked} />
      <ul aria-label={t.list} className="grid gap-3 md:grid-cols-2">
        {entries.map((entry) => (
          <li
            key={entry.id}
            onMouseEnter={() => setMarked(entry.id)}
            onMouseLeave={() => setMarked(null)}
            onFocus={() => setMarked(entry.id)}
            onBlur={() => setMarked(null)}
          >
            <Card entry={entry} now={now} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Card({ entry, now }: { entry: Entry; now: number }) {
  const t = useMessages(working);
  const { span, score, full } = useFormat();
  const mayAudit = useMay('audit');
  const left = leftOf(entry, now);
  return (
    <article className="flex h-full flex-col rounded-xl border border-dashed border-temporary-line bg-surface/60 px-4 py-3.5 hover:bg-surface">
      <QuotedText>{entry.content}</QuotedText>
      <p className="figures mt-2 flex flex-wrap justify-between gap-x-3 text-[13px] text-muted">
        <span className="min-w-0 truncate" title={full(entry.created_at)}>
          <span className="font-medium text-ink">{entry.agent_id ?? t.unnamed}</span> · {entry.session_id}
          {entry.confidence !== null && ` · ${score(entry.confidence)}`}
        </span>
        {mayAudit && (
          <Link data-row href={`/quarantine/${encodeURIComponent(entry.id)}`} className="link">
            {t.open}
          </Link>
        )}
      </p>
      <div className="mt-auto flex items-center gap-2.5 pt-3">
        <div className="h-1 flex-1 overflow-hidden rounded-full bg-sunken" aria-hidden="true">
          <div
            className="h-full rounded-full bg-temporary-line transition-[width]"
            style={{ width: `${Math.min(100, (left / DAY) * 100)}%` }}
          />
        </div>
        <span
          className="figures text-xs font-medium text-temporary"
          title={entry.expires_at ? full(entry.expires_at) : ''}
        >
          {t.left(span(left))}
        </span>
      </div>
    </article>
  );
}
