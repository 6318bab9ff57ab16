/** What the HTTP API answers, as /openapi.json describes it. */

export type Moment = string;
export type Decision = 'admitted' | 'refused' | 'pending';
export type Review = 'promoted' | 'dismissed' | 'retired' | 'covered';
export type Role = 'agent' | 'reviewer' | 'auditor' | 'admin';
export type Right = 'record' | 'query' | 'audit' | 'review' | 'keys';
export type Outcome = 'duplicate' | 'too_narrow' | 'observing' | 'ready';
export type Doubt = 'injection' | 'echo' | 'inconsistent' | 'contrary';
export type Aside = 'no_claim' | 'injection' | 'said_once' | 'smaller' | 'decided';
export type Happening =
  | 'recorded'
  | 'admitted'
  | 'refused'
  | 'promoted'
  | 'retired'
  | 'knowledge:updated'
  | 'digest:ready';

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

export interface Session {
  name: string;
  role: Role;
  project_id: string | null;
  rights: Right[];
  keyless: boolean;
}

export interface Stats {
  project_id: string;
  recorded: number;
  admitted: number;
  refused: number;
  pending: number;
  refused_by: Record<string, number>;
  shadow_admitted: number;
  shadow_refused: number;
  working: number | null;
  memories: number;
  chunks: number;
  tombstones: number;
  answers: number;
  insights_waiting: number;
  oldest_waiting: Moment | null;
}

export interface Words {
  edit: 'same' | 'removed' | 'added';
  text: string;
}

export interface Source {
  entry_id: string;
  session_id: string;
  agent_id: string | null;
  confidence: number | null;
  created_at: Moment;
  quote: string;
  doubt: Doubt | null;
}

export interface Dispute {
  first_id: string;
  first_quote: string;
  second_id: string;
  second_quote: string;
  difference: Reason;
}

export interface Nearest {
  memory_id: string;
  content: string;
  similarity: number;
  diff: Words[];
  conflict: Reason | null;
}

export interface Refinement {
  outcome: Outcome;
  label: string;
  reason: Reason;
  observations: number;
  needed: number;
}

export interface InsightDecision {
  review: Review;
  by: string;
  at: Moment;
  reason: string;
  memory_id: string | null;
}

export interface Insight {
  id: string;
  project_id: string;
  summary: string;
  summarised_by: string;
  note: Reason | null;
  verified: false;
  label: string;
  sessions: number;
  agents: number;
  lowest_confidence: number | null;
  mean_confidence: number | null;
  first_seen: Moment;
  last_seen: Moment;
  made_at: Moment;
  refinement: Refinement;
  nearest: Nearest | null;
  disputed: boolean;
  disputes: Dispute[];
  sources: Source[];
  decision: InsightDecision | null;
  later: Source[];
}

export interface Digest {
  project_id: string;
  made_at: Moment;
  since: Moment;
  entries: number;
  set_aside: Partial<Record<Aside, number>>;
  waiting: number;
  insights: Insight[];
}

/** Why something was decided: a code with its parameters, and the sentence in both languages. */
export interface Reason {
  code: string;
  params: Record<string, unknown>;
  en: string;
  zh: string;
}

export interface Check {
  name: string;
  passed: boolean;
  score: number | null;
  reason: Reason;
}

export interface Admission {
  admitted: boolean;
  decision: Decision;
  checks: Check[];
  reasons: Reason[];
  decided_at: Moment;
  shadow: Decision | null;
}

export interface Entry {
  id: string;
  project_id: string;
  session_id: string;
  agent_id: string | null;
  node_id: string | null;
  confidence: number | null;
  content: string;
  metadata: Record<string, unknown>;
  layer: 'quarantine' | 'working' | 'longterm';
  verified: boolean;
  created_at: Moment;
  expires_at: Moment | null;
  promoted_at: Moment | null;
}

export interface Receipt {
  entry: Entry;
  admission: Admission;
  review: Review | null;
}

export interface Why {
  similarity: number | null;
  word_score: number;
  words: string[];
}

export interface Item {
  id: string;
  content: string;
  source: 'cold' | 'hot';
  score: number;
  verified: boolean;
  label: string;
  created_at: Moment;
  memory_id: string | null;
  entry_id: string | null;
  session_id: string | null;
  agent_id: string | null;
  promoted_by: string | null;
  promoted_at: Moment | null;
  expires_at: Moment | null;
  why?: Why;
}

export interface Answer {
  results: Item[];
  degraded: string[];
  prompt?: string;
}

export interface Memory {
  id: string;
  project_id: string;
  content: string;
  promoted_by: string;
  promoted_at: Moment;
  entry_ids: string[];
  chunks: { id: string; content: string }[];
  retired_at: Moment | null;
  retired_by: string | null;
  retired_reason: string | null;
}

export interface Tombstone {
  id: string;
  project_id: string;
  kind: 'dismissed' | 'retired';
  source_id: string;
  content: string;
  by: string;
  at: Moment;
  reason: string;
}

export interface Serving {
  answer_id: string;
  item_id: string;
  session_id: string | null;
  agent_id: string | null;
  query: string;
  at: Moment;
}

export interface Retirement {
  memory: Memory;
  reason: string | null;
  served: Serving[];
}

export interface AuditLine {
  sequence: number;
  project_id: string;
  at: Moment;
  actor: string;
  action: string;
  subject: string;
  reason: string;
  detail: Record<string, unknown>;
  previous: string;
  digest: string;
}

export interface Verification {
  project_id: string;
  whole: boolean;
  events: number;
  head: string;
  problems: string[];
}

export interface Lineage {
  entries: Receipt[];
  memories: Memory[];
  events: AuditLine[];
  served: Serving[];
}

export interface Key {
  id: string;
  name: string;
  role: Role;
  project_id: string | null;
  made_at: Moment;
  made_by: string;
  last_used_at: Moment | null;
  revoked_at: Moment | null;
  revoked_by: string | null;
}

export interface NewKey {
  key: Key;
  text: string;
}

export interface FlowDay {
  day: string;
  recorded: number;
  admitted: number;
  refused: number;
  pending: number;
  refused_by: Record<string, number>;
  promoted: number;
  dismissed: number;
  retired: number;
}

export interface AgeBucket {
  up_to_days: number | null;
  count: number;
}

export interface Flow {
  project_id: string;
  days: FlowDay[];
  memory_ages: AgeBucket[];
  insight_ages: AgeBucket[];
  oldest_insight: Moment | null;
  oldest_pending: Moment | null;
}
