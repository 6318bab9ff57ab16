import type { Insight } from '../api/types';
import type { DecisionState } from './decisions';
import type { ReviewSession } from './reviewSession';

export type Mark = 'open' | 'promoted' | 'dismissed' | 'later';

export interface Tally {
  /** One for each insight, in order, for the bar. */
  marks: Mark[];
  promoted: number;
  dismissed: number;
  later: number;
  open: number;
  /** Decided for good, or about to be. */
  decided: number;
  /** All of this digest: decided, shown, and waiting behind these. */
  all: number;
  behind: number;
}

/** Count what was decided, and what is still to be done. */
export function tally({ digest, insights }: ReviewSession, decisions: ReadonlyMap<string, DecisionState>): Tally {
  const marks = insights.map((one) => markOf(one, decisions.get(one.id)));
  const count = (mark: Mark) => marks.filter((one) => one === mark).length;
  const waitingHere = insights.filter((one) => !one.decision).length;
  const behind = Math.max((digest?.waiting ?? 0) - waitingHere, 0);
  const [promoted, dismissed, later] = [count('promoted'), count('dismissed'), count('later')];
  const decided = promoted + dismissed;
  return { marks, promoted, dismissed, later, open: count('open'), decided, all: insights.length + behind, behind };
}

export function markOf(insight: Insight, decision: DecisionState | undefined): Mark {
  if (decision && decision.state !== 'failed') {
    return ({ promote: 'promoted', dismiss: 'dismissed', later: 'later' } as const)[decision.action.kind];
  }
  if (!insight.decision) return 'open';
  return insight.decision.review === 'promoted' ? 'promoted' : 'dismissed';
}
