import { Link } from 'wouter';
import type { Lineage, LongTermMemory, Receipt } from '../../api/types';
import { Badge, VerifiedBadge } from '../../components/Badge';
import { Facts, Part } from '../../components/Facts';
import { History, ServedTo, useLineage } from '../../components/Lineage';
import { QuotedText } from '../../components/QuotedText';
import { EmptyState, ErrorState, Skeleton } from '../../components/States';
import { useFormat, useMessages } from '../../messages/language';
import { longterm } from '../../messages/longterm';
import { quarantine } from '../../messages/quarantine';
import { Retire } from './Retire';

/** One memory: where it comes from, who was served it, and its retirement. */
export function Sheet({ id }: { id: string }) {
  const t = useMessages(longterm);
  const { data, error, refetch } = useLineage(id);
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-20" />;
  const memory = data.memories.find((one) => one.id === id);
  if (!memory) return <EmptyState icon="longterm" title={t.unknown} />;
  return <Known memory={memory} lineage={data} />;
}

function Known({ memory, lineage }: { memory: LongTermMemory; lineage: Lineage }) {
  const t = useMessages(longterm);
  const { full, number } = useFormat();
  return (
    <>
      <div role="status" className="mb-3">
        {memory.retired_at ? <Badge>{t.gone}</Badge> : <VerifiedBadge />}
      </div>
      <QuotedText className="text-[1.0625rem]">{memory.content}</QuotedText>
      {memory.retired_at && <Gone memory={memory} />}
      <div className="mt-5">
        <Facts
          rows={[
            [t.approvedBy, memory.promoted_by],
            [t.approvedAt, full(memory.promoted_at)],
            [t.chunks, memory.chunks.length > 1 ? t.chunkCount(number(memory.chunks.length)) : ''],
            [
              t.id,
              <span key="id" className="font-mono text-xs">
                {memory.id}
              </span>,
            ],
          ]}
        />
      </div>
      <Provenance memory={memory} entries={lineage.entries} />
      <ServedTo served={lineage.served} />
      <History events={lineage.events} />
      {!memory.retired_at && <Retire memory={memory} served={lineage.served} />}
    </>
  );
}

function Gone({ memory }: { memory: LongTermMemory }) {
  const t = useMessages(longterm);
  const { day } = useFormat();
  return (
    <div className="mt-4 rounded-lg bg-sunken p-3 text-sm">
      <p className="font-medium">{t.retiredBy(memory.retired_by ?? '', day(memory.retired_at ?? ''))}</p>
      {memory.retired_reason && <QuotedText className="mt-0.5">{memory.retired_reason}</QuotedText>}
      <p className="mt-1 text-muted">{t.goneHelp}</p>
    </div>
  );
}

function Provenance({ memory, entries }: { memory: LongTermMemory; entries: Receipt[] }) {
  const t = useMessages(longterm);
  const sources = entries.filter(({ entry }) => memory.entry_ids.includes(entry.id));
  return (
    <Part
      title={
        <>
          {t.provenance}
          <span className="figures font-normal text-muted">{t.sources(memory.entry_ids.length)}</span>
        </>
      }
    >
      {sources.length === 0 && <p className="text-sm text-muted">{t.byHand(memory.promoted_by)}</p>}
      <ul className="space-y-3">
        {sources.map((receipt) => (
          <li key={receipt.entry.id}>
            <Source receipt={receipt} />
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Source({ receipt: { entry } }: { receipt: Receipt }) {
  const t = useMessages(longterm);
  const { unnamed } = useMessages(quarantine);
  const { time, full, score } = useFormat();
  return (
    <div className="border-l-2 border-strong pl-3">
      <QuotedText className="text-sm">{entry.content}</QuotedText>
      <p className="figures mt-0.5 text-[13px] text-muted" title={full(entry.created_at)}>
        <span className="font-medium text-ink">{entry.agent_id ?? unnamed}</span> · {entry.session_id}
        {entry.confidence !== null && ` · ${score(entry.confidence)}`} · {time(entry.created_at)}
      </p>
      <Link href={`/quarantine/${encodeURIComponent(entry.id)}`} className="text-[13px] link">
        {t.openEntry}
      </Link>
    </div>
  );
}
