import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { useClient } from '../api/context';
import type { Insight } from '../api/types';
import { Decisions, type Standing } from './decisions';

export interface Promoting {
  /** What was decided here, by the id of the insight, in the order of deciding. */
  standing: ReadonlyMap<string, Standing>;
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
  const decisions = useMemo(
    () => new Decisions(client, () => void cache.invalidateQueries({ queryKey: [client.project] })),
    [client, cache],
  );
  const standing = useSyncExternalStore(decisions.subscribe, decisions.all);
  useEffect(() => sendOnLeaving(decisions.flush), [decisions]);
  return {
    standing,
    promote: (insight, text) => decisions.decide(insight, { kind: 'promote', ...(text !== undefined && { text }) }),
    dismiss: (insight, reason) => decisions.decide(insight, { kind: 'dismiss', reason }),
    later: (insight) => decisions.decide(insight, { kind: 'later' }),
    undo: (id) => decisions.undo(id),
  };
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
