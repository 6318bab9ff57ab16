import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useClient } from './context';
import { refreshOf } from './refresh';
import { follow } from './stream';
import type { Event } from './types';

export type Connection = 'connecting' | 'live' | 'broken';

/** Read anew what the server says has changed, and return how the connection is. */
export function useEvents(): Connection {
  const client = useClient();
  const cache = useQueryClient();
  const [connection, setConnection] = useState<Connection>('connecting');
  useEffect(() => {
    if (client.project === null) return;
    const refresh = refreshOf(cache);
    return follow(client, '/events', {
      onOpen: () => setConnection('live'),
      onEvent: (kind, data) => refresh.heard(client.project, kind, (JSON.parse(data) as Partial<Event>).subject),
      onLost: () => setConnection('broken'),
    });
  }, [client, cache]);
  return connection;
}
