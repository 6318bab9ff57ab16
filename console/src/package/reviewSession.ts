import type { Digest, Insight, InsightDecision } from '../api/types';
import type { DecisionResult } from './decisions';

export interface ReviewSession {
  /** The newest digest; null where none was made yet. */
  digest: Digest | null;
  /** What is to be decided on, and what was decided since the digest was made. Each keeps its place. */
  insights: Insight[];
}

/** Put a digest and what was decided since into one list: everything stays where the reader saw it before. */
export function reviewSession(
  before: ReviewSession | undefined,
  digest: Digest | null,
  decided: Insight[],
): ReviewSession {
  if (digest === null) return { digest, insights: [] };
  const since = decided.filter((one) => one.decision && one.decision.at >= digest.made_at);
  const now = new Map([...digest.insights, ...since].map((one) => [one.id, one]));
  const kept = before?.digest?.made_at === digest.made_at ? before.insights : [];
  const stayed = kept.flatMap((one) => now.get(one.id) ?? []);
  const known = new Set(stayed.map((one) => one.id));
  return { digest, insights: [...stayed, ...[...now.values()].filter((one) => !known.has(one.id))] };
}

/** An insight as the server lists it after a decision. */
export function decidedInsight(insight: Insight, result: NonNullable<DecisionResult>): Insight {
  return { ...insight, decision: decisionOf(result) };
}

function decisionOf(result: NonNullable<DecisionResult>): InsightDecision {
  if (result.review === 'promoted') {
    const { id, promoted_by, promoted_at } = result.memory;
    return { review: 'promoted', by: promoted_by, at: promoted_at, reason: '', memory_id: id };
  }
  const { by, at, reason } = result.tombstone;
  return { review: 'dismissed', by, at, reason, memory_id: null };
}
