import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../api/context';
import { queryKeys } from '../api/queryKeys';
import type { AuditLine, Lineage, Serving } from '../api/types';
import { useFormat, useMessages } from '../messages/language';
import { lineage as messages } from '../messages/lineage';
import { Button } from './Button';
import { Part } from './Facts';
import { QuotedText } from './QuotedText';

const FEW = 5;
const MANY = 200;

/** Where something came from, what became of it, and who was served it. */
export function useLineage(id: string | undefined) {
  const client = useClient();
  return useQuery({
    queryKey: queryKeys.lineage(client.project, id),
    queryFn: ({ signal }) => client.get<Lineage>(`/memory/entries/${encodeURIComponent(id ?? '')}/lineage`, {}, signal),
    enabled: id !== undefined,
  });
}

/** Who was served it, and for which question; the newest first. */
export function ServedTo({ served }: { served: Serving[] }) {
  const t = useMessages(messages);
  const { number } = useFormat();
  const [shown, setShown] = useState(FEW);
  const newest = [...served].sort((a, b) => b.at.localeCompare(a.at));
  return (
    <Part
      title={
        <>
          {t.served}
          {served.length > 0 && (
            <span className="figures font-normal text-muted">{t.times(served.length, number(served.length))}</span>
          )}
        </>
      }
    >
      {served.length === 0 && <p className="text-sm text-muted">{t.servedNone}</p>}
      <ul className="space-y-2.5">
        {newest.slice(0, shown).map((one) => (
          <li key={`${one.answer_id} ${one.item_id}`}>
            <ServedAnswer serving={one} />
          </li>
        ))}
      </ul>
      {served.length > shown && (
        <Button look="quiet" className="-ml-3 mt-2 text-accent" onClick={() => setShown(shown + MANY)}>
          {t.more(number(served.length - shown))}
        </Button>
      )}
    </Part>
  );
}

function ServedAnswer({ serving }: { serving: Serving }) {
  const t = useMessages(messages);
  const { time, full } = useFormat();
  return (
    <div className="border-l-2 border-strong pl-3 text-sm">
      <p className="figures flex justify-between gap-3">
        <span className="min-w-0 truncate">
          <span className="font-medium">{serving.agent_id ?? t.unnamed}</span>
          <span className="text-muted"> · {serving.session_id ?? t.noSession}</span>
        </span>
        <time dateTime={serving.at} title={full(serving.at)} className="shrink-0 text-muted">
          {time(serving.at)}
        </time>
      </p>
      <QuotedText className="line-clamp-2 text-muted">{t.asked(serving.query)}</QuotedText>
    </div>
  );
}

/** What people did about it. */
export function History({ events }: { events: AuditLine[] }) {
  const t = useMessages(messages);
  const { time, full } = useFormat();
  if (events.length === 0) return null;
  return (
    <Part title={t.history}>
      <ol className="space-y-2 text-sm">
        {events.map((event) => (
          <li key={event.sequence}>
            <p className="figures flex justify-between gap-3">
              <span className="min-w-0">
                <span className="font-medium">{t.actions[event.action] ?? event.action}</span>{' '}
                <span className="text-muted">{t.by(event.actor)}</span>
              </span>
              <time dateTime={event.at} title={full(event.at)} className="shrink-0 text-muted">
                {time(event.at)}
              </time>
            </p>
            {event.reason && <QuotedText className="text-muted">{event.reason}</QuotedText>}
          </li>
        ))}
      </ol>
    </Part>
  );
}
