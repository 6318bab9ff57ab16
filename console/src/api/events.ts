import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Client } from './client';
import { useClient } from './context';
import { follow } from './stream';
import type { EventKind } from './types';

/** What is read anew when something happens: the second part of a query's key. */
const TOPICS: Record<EventKind, string[]> = {
  recorded: ['quarantine', 'stats', 'flow'],
  admitted: ['quarantine', 'working', 'stats', 'flow'],
  refused: ['quarantine', 'stats', 'flow'],
  promoted: ['digest', 'quarantine', 'working', 'longterm', 'audit', 'stats', 'flow', 'lineage'],
  retired: ['longterm', 'audit', 'stats', 'flow', 'lineage', 'digest'],
  'knowledge:updated': ['digest', 'longterm', 'audit', 'stats', 'flow'],
  'digest:ready': ['digest', 'stats'],
};
const PAUSE = 400;

export type Line = 'connecting' | 'live' | 'broken';

/** Read anew what the server says has changed, and tell how the line stands. */
export function useEvents(): Line {
  const client = useClient();
  const cache = useQueryClient();
  const [line, setLine] = useState<Line>('connecting');
  useEffect(() => (client.project === null ? undefined : listen(client, cache, setLine)), [client, cache]);
  return line;
}

function listen(client: Client, cache: QueryClient, tell: (line: Line) => void): () => void {
  const stale = new Set<string>();
  let refreshing: ReturnType<typeof setTimeout> | undefined;

  const refresh = () => {
    refreshing = undefined;
    for (const topic of stale) void cache.invalidateQueries({ queryKey: [client.project, topic] });
    stale.clear();
  };
  const mark = (topics: string[]) => {
    for (const topic of topics) stale.add(topic);
    refreshing ??= setTimeout(refresh, PAUSE);
  };
  const heard = (event: string) => {
    if (event === 'reset' || event === 'overflow') void cache.invalidateQueries();
    else mark(TOPICS[event as EventKind] ?? []);
  };

  const leave = follow(client, '/events', { opened: () => tell('live'), heard, lost: () => tell('broken') });
  return () => {
    leave();
    clearTimeout(refreshing);
  };
}
