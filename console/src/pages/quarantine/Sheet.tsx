import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useClient } from '../../api/context';
import type { Memory, Receipt } from '../../api/types';
import { Badge, TemporaryContextBadge, VerifiedBadge } from '../../parts/Badge';
import { Checks } from '../../parts/Checks';
import { Facts, Part } from '../../parts/Facts';
import { History, ServedTo, useLineage } from '../../parts/Lineage';
import { Said } from '../../parts/Said';
import { ErrorState, Skeleton } from '../../parts/States';
import { badges } from '../../words/badges';
import { checks as checkWords } from '../../words/checks';
import { useFormat, useWords } from '../../words/language';
import { quarantine } from '../../words/quarantine';
import { Deeds } from './Deeds';

/** All that is known of one entry, and what a reviewer may do about it. */
export function Sheet({ id, onGone }: { id: string; onGone: () => void }) {
  const client = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: [client.project, 'quarantine', id],
    queryFn: ({ signal }) => client.get<Receipt>(`/memory/entries/${encodeURIComponent(id)}`, {}, signal),
  });
  const { data: lineage } = useLineage(id);
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-20" />;
  return (
    <>
      <Standing receipt={data} />
      <Said className="text-[1.0625rem]">{data.entry.content}</Said>
      <Details receipt={data} />
      <CheckList receipt={data} />
      {lineage && (
        <>
          <Became memories={lineage.memories} />
          {lineage.served.length > 0 && <ServedTo served={lineage.served} />}
          <History events={lineage.events} />
        </>
      )}
      <Deeds key={id} receipt={data} onGone={onGone} />
    </>
  );
}

function Standing({ receipt: { entry, admission, review } }: { receipt: Receipt }) {
  const { decisions, reviews } = useWords(badges);
  const tone = { admitted: 'temporary', refused: 'danger', pending: 'neutral' } as const;
  return (
    <div role="status" className="mb-3 flex flex-wrap items-center gap-1.5">
      {review === 'promoted' && <VerifiedBadge />}
      <Badge tone={tone[admission.decision]}>{decisions[admission.decision]}</Badge>
      {review && review !== 'promoted' && <Badge>{reviews[review]}</Badge>}
      {entry.expires_at && !review && <TemporaryContextBadge expiresAt={entry.expires_at} />}
    </div>
  );
}

function Details({ receipt: { entry } }: { receipt: Receipt }) {
  const say = useWords(quarantine);
  const { score, full } = useFormat();
  const more = Object.entries(entry.metadata);
  return (
    <div className="mt-5">
      <Facts
        rows={[
          [say.agent, <Filter key="agent" name="agent" value={entry.agent_id} none={say.unnamed} />],
          [say.session, <Filter key="session" name="session" value={entry.session_id} none="" />],
          [say.node, entry.node_id],
          [say.confidence, entry.confidence === null ? say.noConfidence : score(entry.confidence)],
          [say.said, full(entry.created_at)],
          [
            say.id,
            <span key="id" className="font-mono text-xs">
              {entry.id}
            </span>,
          ],
          ...more.map(([name, value]): [string, string] => [
            name,
            typeof value === 'string' ? value : JSON.stringify(value),
          ]),
        ]}
      />
    </div>
  );
}

/** A value that leads to all entries which share it. */
function Filter({ name, value, none }: { name: string; value: string | null; none: string }) {
  if (value === null) return none;
  return (
    <Link
      href={`/quarantine?${new URLSearchParams({ [name]: value })}`}
      className="text-accent underline-offset-4 hover:underline"
    >
      {value}
    </Link>
  );
}

function CheckList({ receipt: { admission } }: { receipt: Receipt }) {
  const say = useWords(quarantine);
  const { title } = useWords(checkWords);
  const { decisions } = useWords(badges);
  if (admission.checks.length === 0) return null;
  return (
    <Part title={title}>
      <Checks checks={admission.checks} />
      {admission.shadow && <p className="mt-3 text-sm text-muted">{say.shadow(decisions[admission.shadow])}</p>}
    </Part>
  );
}

function Became({ memories }: { memories: Memory[] }) {
  const say = useWords(quarantine);
  if (memories.length === 0) return null;
  return (
    <Part title={say.becameMemory}>
      {memories.map((memory) => (
        <div key={memory.id} className="border-l-2 border-verified pl-3">
          <Said>{memory.content}</Said>
          <Link
            href={`/longterm/${encodeURIComponent(memory.id)}`}
            className="text-sm text-accent underline-offset-4 hover:underline"
          >
            {say.openMemory}
          </Link>
        </div>
      ))}
    </Part>
  );
}
