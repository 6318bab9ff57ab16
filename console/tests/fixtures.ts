import type { Digest, Insight, LongTermMemory, Receipt } from '../src/api/types';

export const MADE_AT = '2026-03-02T09:00:00.000000Z';

export function insight(id: string, changes: Partial<Insight> = {}): Insight {
  return {
    id,
    project_id: 'apollo',
    summary: `What ${id} says.`,
    summarised_by: 'extract',
    note: null,
    verified: false,
    label: 'unverified',
    sessions: 2,
    agents: 2,
    lowest_confidence: 0.8,
    mean_confidence: 0.9,
    first_seen: MADE_AT,
    last_seen: MADE_AT,
    made_at: MADE_AT,
    refinement: {
      outcome: 'ready',
      label: 'ready',
      reason: { code: 'text', params: {}, en: '', zh: '' },
      observations: 2,
      needed: 2,
    },
    nearest: null,
    disputed: false,
    disputes: [],
    sources: [],
    decision: null,
    later: [],
    ...changes,
  };
}

export function decided(id: string, at: string, review: 'promoted' | 'dismissed' = 'promoted'): Insight {
  return insight(id, { decision: { review, by: 'ada', at, reason: '', memory_id: null } });
}

export function digest(insights: Insight[], changes: Partial<Digest> = {}): Digest {
  return {
    project_id: 'apollo',
    made_at: MADE_AT,
    since: MADE_AT,
    entries: 12,
    set_aside: {},
    waiting: insights.length,
    insights,
    ...changes,
  };
}

export function memory(id: string, changes: Partial<LongTermMemory> = {}): LongTermMemory {
  return {
    id,
    project_id: 'apollo',
    content: 'What was approved.',
    promoted_by: 'ada',
    promoted_at: '2026-03-03T09:00:00.000000Z',
    entry_ids: [],
    chunks: [],
    retired_at: null,
    retired_by: null,
    retired_reason: null,
    ...changes,
  };
}

export function receipt(id: string, changes: Partial<Receipt> = {}): Receipt {
  return {
    entry: {
      id,
      project_id: 'apollo',
      session_id: 's1',
      agent_id: null,
      node_id: null,
      confidence: null,
      recorded_by: null,
      content: `Entry ${id}`,
      metadata: {},
      layer: 'quarantine',
      verified: false,
      created_at: MADE_AT,
      expires_at: null,
      promoted_at: null,
    },
    admission: {
      admitted: true,
      decision: 'admitted',
      checks: [],
      reasons: [],
      decided_at: MADE_AT,
      shadow: null,
      passages: null,
    },
    review: null,
    ...changes,
  };
}
