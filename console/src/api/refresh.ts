import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useClient } from './context';
import { queryKeys, type Topic } from './queryKeys';
import type { EventKind } from './types';

/** What a person may change here. */
export type Change = 'promoted' | 'dismissed' | 'retired' | 'deleted' | 'digest:ready';

const COUNTED: Topic[] = ['stats', 'flow'];
const REVIEWED: Topic[] = ['digest', 'quarantine', 'working', 'audit', 'lineage', ...COUNTED];

/** What each change makes stale. */
const TOPICS: Record<Change | EventKind, Topic[]> = {
  recorded: ['quarantine', ...COUNTED],
  admitted: ['quarantine', 'working', ...COUNTED],
  refused: ['quarantine', ...COUNTED],
  promoted: [...REVIEWED, 'longterm'],
  dismissed: REVIEWED,
  deleted: REVIEWED,
  retired: ['longterm', 'audit', 'lineage', 'digest', ...COUNTED],
  'knowledge:updated': ['digest', 'longterm', 'audit', ...COUNTED],
  'digest:ready': ['digest', 'stats'],
};
/** Events come in bursts: what they make stale is read once for all that came meanwhile. */
const PAUSE_MS = 400;
/** The event of an own change comes within a second, or after the stream was broken for a while. */
const ECHO_MS = 60_000;

/**
 * Reads anew what changed, once for each change.
 *
 * An own change is read at once; the event that tells of it later is known by its subject, and ignored.
 */
export class Refresh {
  #cache: QueryClient;
  #waiting = new Map<string | null, Set<Topic>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #own = new Map<string, number>();

  constructor(cache: QueryClient) {
    this.#cache = cache;
  }

  /** After an own change: read what it touches, and wait for no event of it. */
  changed(project: string | null, change: Change, subject?: string): void {
    if (subject !== undefined) this.#own.set(subject, Date.now());
    // What events asked for meanwhile is read now, too.
    const waiting = this.#waiting.get(project);
    const entries = queryKeys.topic(project, 'entries');
    if (TOPICS[change].includes('quarantine')) this.#cache.removeQueries({ queryKey: entries, type: 'inactive' });
    for (const topic of TOPICS[change]) {
      waiting?.delete(topic);
      this.#invalidate(project, topic);
    }
  }

  /** After an event: read what it touches, unless it tells of an own change. */
  heard(project: string | null, kind: string, subject: string | undefined): void {
    if (kind === 'reset' || kind === 'overflow') {
      void this.#cache.invalidateQueries();
      return;
    }
    if (subject !== undefined && this.#isOwn(subject)) return;
    const waiting = this.#waiting.get(project) ?? new Set();
    const topics = Object.hasOwn(TOPICS, kind) ? TOPICS[kind as EventKind] : [];
    for (const topic of topics) waiting.add(topic);
    // Who else decided stands in the list of what was decided; an own decision is put into it as it is made.
    if (kind === 'promoted') waiting.add('decided');
    this.#waiting.set(project, waiting);
    this.#timer ??= setTimeout(() => this.#flush(), PAUSE_MS);
  }

  #isOwn(subject: string): boolean {
    const oldest = Date.now() - ECHO_MS;
    for (const [one, at] of this.#own) if (at < oldest) this.#own.delete(one);
    return this.#own.has(subject);
  }

  #flush(): void {
    this.#timer = undefined;
    for (const [project, topics] of this.#waiting) for (const topic of topics) this.#invalidate(project, topic);
    this.#waiting.clear();
  }

  #invalidate(project: string | null, topic: Topic): void {
    void this.#cache.invalidateQueries({ queryKey: queryKeys.topic(project, topic) });
  }
}

const refreshes = new WeakMap<QueryClient, Refresh>();

/** The one of a cache. */
export function refreshOf(cache: QueryClient): Refresh {
  const refresh = refreshes.get(cache) ?? new Refresh(cache);
  refreshes.set(cache, refresh);
  return refresh;
}

/** What to call after an own change in the chosen project. */
export function useChanged(): (change: Change, subject?: string) => void {
  const { project } = useClient();
  const refresh = refreshOf(useQueryClient());
  return (change, subject) => refresh.changed(project, change, subject);
}
