import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../api/context';
import type { AuditLine, Lineage, Serving } from '../api/types';
import { useFormat, useWords } from '../words/language';
import { lineage as words } from '../words/lineage';
import { Button } from './Button';
import { Part } from './Facts';
import { Said } from './Said';

const FEW = 5;
const MANY = 200;

/** Where something came from, what became of it, and who was served it. */
export function useLineage(id: string | undefined) {
  const client = useClient();
  return useQuery({
    queryKey: [client.project, 'lineage', id],
    queryFn: ({ signal }) => client.get<Lineage>(`/memory/entries/${encodeURIComponent(id ?? '')}/lineage`, {}, signal),
    enabled: id !== undefined,
  });
}

/** Who was told it, in answer to what; the newest first. */
export function ServedTo({ served }: { served: Serving[] }) {
  const say = useWords(words);
  const { number } = useFormat();
  const [shown, setShown] = useState(FEW);
  const newest = [...served].sort((a, b) => b.at.localeCompare(a.at));
  return (
    <Part
      title={
        <>
          {say.served}
          {served.length > 0 && (
            <span className="figures font-normal text-muted">{say.times(served.length, number(served.length))}</span>
          )}
        </>
      }
    >
      {served.length === 0 && <p className="text-sm text-muted">{say.servedNone}</p>}
      <ul className="space-y-2.5">
        {newest.slice(0, shown).map((one) => (
          <li key={`${one.answer_id} ${one.item_id}`}>
            <Told serving={one} />
          </li>
        ))}
      </ul>
      {served.length > shown && (
        <Button look="quiet" className="-ml-3 mt-2 text-accent" onClick={() => setShown(shown + MANY)}>
          {say.more(number(served.length - shown))}
        </Button>
      )}
    </Part>
  );
}

function Told({ serving }: { serving: Serving }) {
  const say = useWords(words);
  const { time, full } = useFormat();
  return (
    <div className="border-l-2 border-strong pl-3 text-sm">
      <p className="figures flex justify-between gap-3">
        <span className="min-w-0 truncate">
          <span className="font-medium">{serving.agent_id ?? say.unnamed}</span>
          <span className="text-muted"> · {serving.session_id ?? say.noSession}</span>
        </span>
        <time dateTime={serving.at} title={full(serving.at)} className="shrink-0 text-muted">
          {time(serving.at)}
        </time>
      </p>
      <Said className="line-clamp-2 text-muted">{say.asked(serving.query)}</Said>
    </div>
  );
}

/** What people did about it. */
export function History({ events }: { events: AuditLine[] }) {
  const say = useWords(words);
  const { time, full } = useFormat();
  if (events.length === 0) return null;
  return (
    <Part title={say.history}>
      <ol className="space-y-2 text-sm">
        {events.map((event) => (
          <li key={event.sequence}>
            <p className="figures flex justify-between gap-3">
              <span className="min-w-0">
                <span className="font-medium">{say.actions[event.action] ?? event.action}</span>{' '}
                <span className="text-muted">{say.by(event.actor)}</span>
              </span>
              <time dateTime={event.at} title={full(event.at)} className="shrink-0 text-muted">
                {time(event.at)}
              </time>
            </p>
            {event.reason && <Said className="text-muted">{event.reason}</Said>}
          </li>
        ))}
      </ol>
    </Part>
  );
}
