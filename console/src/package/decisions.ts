import type { Client } from '../api/client';
import type { Insight, Memory, Tombstone } from '../api/types';

/** How long a decision can be taken back: it stands for good once it is sent. */
export const UNDO_MS = 5_000;

export type Deed = { kind: 'promote'; text?: string } | { kind: 'dismiss'; reason: string } | { kind: 'later' };

export type Standing =
  | { state: 'held'; deed: Deed; insight: Insight; since: number }
  | { state: 'sent' | 'done'; deed: Deed; insight: Insight }
  | { state: 'failed'; deed: Deed; insight: Insight; error: Error };

/** What was decided in this sitting: held for a moment, then sent; a refusal brings the insight back. */
export class Decisions {
  #client: Client;
  #standing: ReadonlyMap<string, Standing> = new Map();
  #timers = new Map<string, ReturnType<typeof setTimeout>>();
  #listeners = new Set<() => void>();
  #told: (insight: Insight) => void;

  constructor(client: Client, told: (insight: Insight) => void) {
    this.#client = client;
    this.#told = told;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly all = (): ReadonlyMap<string, Standing> => this.#standing;

  /** Decide; it is sent in a few seconds, unless it is undone. */
  decide(insight: Insight, deed: Deed): void {
    this.#clear(insight.id);
    if (deed.kind === 'later') {
      this.#put(insight.id, { state: 'done', deed, insight });
      return;
    }
    this.#put(insight.id, { state: 'held', deed, insight, since: Date.now() });
    const send = () => void this.#send(insight.id);
    this.#timers.set(insight.id, setTimeout(send, UNDO_MS));
  }

  /** Take back what is not sent yet, or what was left for later: that one, or the last. */
  undo(id?: string): Insight | null {
    const last = [...this.#standing.values()].filter(isOpen).at(-1);
    const found = id === undefined ? last : this.#standing.get(id);
    if (!found || !isOpen(found)) return null;
    this.#clear(found.insight.id);
    this.#drop(found.insight.id);
    return found.insight;
  }

  /** Send at once what is held: the page is left. */
  readonly flush = (): void => {
    for (const id of this.#timers.keys()) void this.#send(id);
  };

  async #send(id: string): Promise<void> {
    this.#clear(id);
    const held = this.#standing.get(id);
    if (held?.state !== 'held') return;
    const { deed, insight } = held;
    this.#put(id, { state: 'sent', deed, insight });
    try {
      await post(this.#client, id, deed);
      this.#put(id, { state: 'done', deed, insight });
    } catch (error) {
      this.#put(id, { state: 'failed', deed, insight, error: error as Error });
    }
    this.#told(insight);
  }

  #clear(id: string): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
  }

  #put(id: string, standing: Standing): void {
    // Last in the map is what was decided last.
    const next = new Map(this.#standing);
    if (standing.state === 'held' || standing.deed.kind === 'later') next.delete(id);
    this.#tell(next.set(id, standing));
  }

  #drop(id: string): void {
    const next = new Map(this.#standing);
    next.delete(id);
    this.#tell(next);
  }

  #tell(next: ReadonlyMap<string, Standing>): void {
    this.#standing = next;
    for (const listener of this.#listeners) listener();
  }
}

/** Whether it can be taken back. */
export function isOpen(standing: Standing): boolean {
  return standing.state === 'held' || (standing.state === 'done' && standing.deed.kind === 'later');
}

function post(client: Client, id: string, deed: Deed): Promise<Memory | Tombstone | undefined> {
  switch (deed.kind) {
    case 'promote':
      return client.post<Memory>('/memory/promote', { id, ...(deed.text !== undefined && { text: deed.text }) });
    case 'dismiss':
      return client.post<Tombstone>('/memory/dismiss', { id, reason: deed.reason });
    case 'later':
      return Promise.resolve(undefined);
  }
}
