import { Link } from 'wouter';
import type { Lineage, Memory, Receipt } from '../../api/types';
import { Badge, VerifiedBadge } from '../../parts/Badge';
import { Facts, Part } from '../../parts/Facts';
import { History, ServedTo, useLineage } from '../../parts/Lineage';
import { Said } from '../../parts/Said';
import { EmptyState, ErrorState, Skeleton } from '../../parts/States';
import { useFormat, useWords } from '../../words/language';
import { longterm } from '../../words/longterm';
import { quarantine } from '../../words/quarantine';
import { Retire } from './Retire';

/** One memory: where it comes from, who was told it, and its retirement. */
export function Sheet({ id }: { id: string }) {
  const say = useWords(longterm);
  const { data, error, refetch } = useLineage(id);
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-20" />;
  const memory = data.memories.find((one) => one.id === id);
  if (!memory) return <EmptyState icon="longterm" title={say.unknown} />;
  return <Known memory={memory} lineage={data} />;
}

function Known({ memory, lineage }: { memory: Memory; lineage: Lineage }) {
  const say = useWords(longterm);
  const { full, number } = useFormat();
  return (
    <>
      <div role="status" className="mb-3">
        {memory.retired_at ? <Badge>{say.gone}</Badge> : <VerifiedBadge />}
      </div>
      <Said className="text-[1.0625rem]">{memory.content}</Said>
      {memory.retired_at && <Gone memory={memory} />}
      <div className="mt-5">
        <Facts
          rows={[
            [say.approvedBy, memory.promoted_by],
            [say.approvedAt, full(memory.promoted_at)],
            [say.chunks, memory.chunks.length > 1 ? say.chunkCount(number(memory.chunks.length)) : ''],
            [
              say.id,
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

function Gone({ memory }: { memory: Memory }) {
  const say = useWords(longterm);
  const { day } = useFormat();
  return (
    <div className="mt-4 rounded-lg bg-sunken p-3 text-sm">
      <p className="font-medium">{say.retiredBy(memory.retired_by ?? '', day(memory.retired_at ?? ''))}</p>
      {memory.retired_reason && <Said className="mt-0.5">{memory.retired_reason}</Said>}
      <p className="mt-1 text-muted">{say.goneHelp}</p>
    </div>
  );
}

function Provenance({ memory, entries }: { memory: Memory; entries: Receipt[] }) {
  const say = useWords(longterm);
  const sources = entries.filter(({ entry }) => memory.entry_ids.includes(entry.id));
  return (
    <Part
      title={
        <>
          {say.provenance}
          <span className="figures font-normal text-muted">{say.sources(memory.entry_ids.length)}</span>
        </>
      }
    >
      {sources.length === 0 && <p className="text-sm text-muted">{say.byHand(memory.promoted_by)}</p>}
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
  const say = useWords(longterm);
  const { unnamed } = useWords(quarantine);
  const { time, full, score } = useFormat();
  return (
    <div className="border-l-2 border-strong pl-3">
      <Said className="text-sm">{entry.content}</Said>
      <p className="figures mt-0.5 text-[13px] text-muted" title={full(entry.created_at)}>
        <span className="font-medium text-ink">{entry.agent_id ?? unnamed}</span> · {entry.session_id}
        {entry.confidence !== null && ` · ${score(entry.confidence)}`} · {time(entry.created_at)}
      </p>
      <Link
        href={`/quarantine/${encodeURIComponent(entry.id)}`}
        className="text-[13px] text-accent underline-offset-4 hover:underline"
      >
        {say.openEntry}
      </Link>
    </div>
  );
}
