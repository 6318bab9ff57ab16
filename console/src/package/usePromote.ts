import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { Client } from '../api/client';
import { useClient } from '../api/context';
import { queryKeys } from '../api/queryKeys';
import { refreshOf } from '../api/refresh';
import type { Insight, InsightPage } from '../api/types';
import { type DecisionResult, type DecisionState, Decisions } from './decisions';
import { decidedInsight } from './reviewSession';

export interface Promoting {
  /** What was decided here, by the id of the insight, in the order of deciding. */
  decisions: ReadonlyMap<string, DecisionState>;
  promote: (insight: Insight, text?: string) => void;
  dismiss: (insight: Insight, reason: string) => void;
  later: (insight: Insight) => void;
  /** Take back one, or the last; returns it, or null where nothing can be taken back any more. */
  undo: (id?: string) => Insight | null;
}

/** Decide on insights. A decision is sent after five seconds, or when the page is left; until then it can be undone. */
export function usePromote(): Promoting {
  const client = useClient();
  const cache = useQueryClient();
  const store = useMemo(
    () => new Decisions(client, (insight, result) => settle(cache, client, insight, result)),
    [client, cache],
  );
  const decisions = useSyncExternalStore(store.subscribe, store.all);
  useEffect(() => sendOnLeaving(store.flush), [store]);
  return {
    decisions,
    promote: (insight, text) => store.decide(insight, { kind: 'promote', ...(text !== undefined && { text }) }),
    dismiss: (insight, reason) => store.decide(insight, { kind: 'dismiss', reason }),
    later: (insight) => store.decide(insight, { kind: 'later' }),
    undo: (id) => store.undo(id),
  };
}

/** After the server's answer: the insight joins what was decided, and what that touches is read anew. */
export function settle(
  cache: QueryClient,
  { project }: Pick<Client, 'project'>,
  insight: Insight,
  result: DecisionResult,
): void {
  const decided = queryKeys.decided(project);
  if (result === null) {
    // Somebody else may have been first.
    void cache.invalidateQueries({ queryKey: decided });
    refreshOf(cache).changed(project, 'dismissed');
    return;
  }
  cache.setQueryData<InsightPage>(
    decided,
    (page) => page && { ...page, items: [decidedInsight(insight, result), ...page.items] },
  );
  refreshOf(cache).changed(project, result.review, result.review === 'promoted' ? result.memory.id : undefined);
}

function sendOnLeaving(flush: () => void): () => void {
  const hidden = () => document.visibilityState === 'hidden' && flush();
  document.addEventListener('visibilitychange', hidden);
  window.addEventListener('pagehide', flush);
  return () => {
    document.removeEventListener('visibilitychange', hidden);
    window.removeEventListener('pagehide', flush);
    flush();
  };
}
