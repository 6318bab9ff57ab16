import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useClient } from '../../api/context';
import { queryKeys } from '../../api/queryKeys';
import type { LongTermMemory, Receipt } from '../../api/types';
import { Badge, TemporaryContextBadge, VerifiedBadge } from '../../components/Badge';
import { Checks } from '../../components/Checks';
import { Facts, Part } from '../../components/Facts';
import { History, ServedTo, useLineage } from '../../components/Lineage';
import { QuotedText } from '../../components/QuotedText';
import { ErrorState, Skeleton } from '../../components/States';
import { badges } from '../../messages/badges';
import { checks as checkWords } from '../../messages/checks';
import { useFormat, useMessages } from '../../messages/language';
import { quarantine } from '../../messages/quarantine';
import { Actions } from './Actions';

/** All that is known of one entry, and what a reviewer may do about it. */
export function Sheet({ id, onGone }: { id: string; onGone: () => void }) {
  const client = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: queryKeys.entry(client.project, id),
    queryFn: ({ signal }) => client.get<Receipt>(`/memory/entries/${encodeURIComponent(id)}`, {}, signal),
  });
  const { data: lineage } = useLineage(id);
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-20" />;
  return (
    <>
      <Status receipt={data} />
      <QuotedText className="text-[1.0625rem]">{data.entry.content}</QuotedText>
      <Details receipt={data} />
      <CheckList receipt={data} />
      {lineage && (
        <>
          <Became memories={lineage.memories} />
          {lineage.served.length > 0 && <ServedTo served={lineage.served} />}
          <History events={lineage.events} />
        </>
      )}
      <Actions key={id} receipt={data} onGone={onGone} />
    </>
  );
}

function Status({ receipt: { entry, admission, review } }: { receipt: Receipt }) {
  const { decisions, reviews } = useMessages(badges);
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
  const t = useMessages(quarantine);
  const { score, full } = useFormat();
  const more = Object.entries(entry.metadata);
  return (
    <div className="mt-5">
      <Facts
        rows={[
          [t.agent, <Filter key="agent" name="agent" value={entry.agent_id} none={t.unnamed} />],
          [t.session, <Filter key="session" name="session" value={entry.session_id} none="" />],
          [t.node, entry.node_id],
          [t.confidence, entry.confidence === null ? t.noConfidence : score(entry.confidence)],
          [t.said, full(entry.created_at)],
          [
            t.id,
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
    <Link href={`/quarantine?${new URLSearchParams({ [name]: value })}`} className="link">
      {value}
    </Link>
  );
}

function CheckList({ receipt: { admission } }: { receipt: Receipt }) {
  const t = useMessages(quarantine);
  const { title } = useMessages(checkWords);
  const { decisions } = useMessages(badges);
  if (admission.checks.length === 0) return null;
  return (
    <Part title={title}>
      <Checks checks={admission.checks} />
      {admission.shadow && <p className="mt-3 text-sm text-muted">{t.shadow(decisions[admission.shadow])}</p>}
    </Part>
  );
}

function Became({ memories }: { memories: LongTermMemory[] }) {
  const t = useMessages(quarantine);
  if (memories.length === 0) return null;
  return (
    <Part title={t.becameMemory}>
      {memories.map((memory) => (
        <div key={memory.id} className="border-l-2 border-verified pl-3">
          <QuotedText>{memory.content}</QuotedText>
          <Link href={`/longterm/${encodeURIComponent(memory.id)}`} className="text-sm link">
            {t.openMemory}
          </Link>
        </div>
      ))}
    </Part>
  );
}
