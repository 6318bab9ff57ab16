import type { Client } from '../api/client';
import type { Insight, LongTermMemory, Tombstone } from '../api/types';

/** How long a decision can be taken back: it is for good once it is sent. */
export const UNDO_MS = 5_000;

export type Action = { kind: 'promote'; text?: string } | { kind: 'dismiss'; reason: string } | { kind: 'later' };

export type DecisionState =
  | { state: 'pending'; action: Action; insight: Insight; since: number }
  | { state: 'sent' | 'done'; action: Action; insight: Insight }
  | { state: 'failed'; action: Action; insight: Insight; error: Error };

/** What the server made of a decision; nothing where it refused. */
export type DecisionResult =
  | { review: 'promoted'; memory: LongTermMemory }
  | { review: 'dismissed'; tombstone: Tombstone }
  | null;

type Poster = Pick<Client, 'post'>;

/** The decisions of this session: each is held back for a moment, then sent; a refusal opens the insight again. */
export class Decisions {
  #client: Poster;
  #states: ReadonlyMap<string, DecisionState> = new Map();
  #timers = new Map<string, ReturnType<typeof setTimeout>>();
  #listeners = new Set<() => void>();
  #onSettled: (insight: Insight, result: DecisionResult) => void;

  constructor(client: Poster, onSettled: (insight: Insight, result: DecisionResult) => void) {
    this.#client = client;
    this.#onSettled = onSettled;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly all = (): ReadonlyMap<string, DecisionState> => this.#states;

  /** Decide; it is sent in a few seconds, unless it is undone. */
  decide(insight: Insight, action: Action): void {
    this.#clearTimer(insight.id);
    if (action.kind === 'later') {
      this.#set(insight.id, { state: 'done', action, insight });
      return;
    }
    this.#set(insight.id, { state: 'pending', action, insight, since: Date.now() });
    const send = () => void this.#send(insight.id);
    this.#timers.set(insight.id, setTimeout(send, UNDO_MS));
  }

  /** Take back what is not sent yet, or what was left for later: that one, or the last. */
  undo(id?: string): Insight | null {
    const last = [...this.#states.values()].filter(isUndoable).at(-1);
    const found = id === undefined ? last : this.#states.get(id);
    if (!found || !isUndoable(found)) return null;
    this.#clearTimer(found.insight.id);
    this.#delete(found.insight.id);
    return found.insight;
  }

  /** Send at once what is held back: the page is left. */
  readonly flush = (): void => {
    for (const id of this.#timers.keys()) void this.#send(id);
  };

  async #send(id: string): Promise<void> {
    this.#clearTimer(id);
    const pending = this.#states.get(id);
    if (pending?.state !== 'pending') return;
    const { action, insight } = pending;
    this.#set(id, { state: 'sent', action, insight });
    let result: DecisionResult = null;
    try {
      result = await post(this.#client, id, action);
      this.#set(id, { state: 'done', action, insight });
    } catch (error) {
      this.#set(id, { state: 'failed', action, insight, error: error as Error });
    }
    this.#onSettled(insight, result);
  }

  #clearTimer(id: string): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
  }

  #set(id: string, decision: DecisionState): void {
    const next = new Map(this.#states);
    // Last in the map is what was decided last.
    if (decision.state === 'pending' || decision.action.kind === 'later') next.delete(id);
    this.#publish(next.set(id, decision));
  }

  #delete(id: string): void {
    const next = new Map(this.#states);
    next.delete(id);
    this.#publish(next);
  }

  #publish(next: ReadonlyMap<string, DecisionState>): void {
    this.#states = next;
    for (const listener of this.#listeners) listener();
  }
}

/** Whether it can be taken back. */
export function isUndoable(decision: DecisionState): boolean {
  return decision.state === 'pending' || (decision.state === 'done' && decision.action.kind === 'later');
}

/** Whether an insight waits for a decision: nobody made one, or the server refused it. */
export function isOpen(insight: Insight, decision: DecisionState | undefined): boolean {
  return !insight.decision && (decision === undefined || decision.state === 'failed');
}

async function post(client: Poster, id: string, action: Action): Promise<DecisionResult> {
  switch (action.kind) {
    case 'promote': {
      const body = { id, ...(action.text !== undefined && { text: action.text }) };
      return { review: 'promoted', memory: await client.post<LongTermMemory>('/memory/promote', body) };
    }
    case 'dismiss': {
      const body = { id, reason: action.reason };
      return { review: 'dismissed', tombstone: await client.post<Tombstone>('/memory/dismiss', body) };
    }
    case 'later':
      return null;
  }
}
