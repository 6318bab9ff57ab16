import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { queryKeys, type Topic } from '../src/api/queryKeys';
import { Refresh, refreshOf } from '../src/api/refresh';
import type { InsightPage } from '../src/api/types';
import { settle } from '../src/package/usePromote';
import { insight, memory } from './fixtures';

const PAUSE_MS = 400;
const TOPICS: Topic[] = ['quarantine', 'working', 'longterm', 'digest', 'decided', 'audit', 'stats', 'flow'];

let cache: QueryClient;
let reads: Partial<Record<Topic, number>>;
let leave: (() => void)[];

/** How often each topic was read since this was asked last. */
async function readsOf(wait = 0): Promise<Partial<Record<Topic, number>>> {
  await vi.advanceTimersByTimeAsync(wait);
  const counted = reads;
  reads = {};
  return counted;
}

beforeEach(async () => {
  vi.useFakeTimers();
  cache = new QueryClient();
  reads = {};
  leave = TOPICS.map((topic) => {
    const queryKey = queryKeys.topic('apollo', topic);
    const queryFn = () => {
      reads[topic] = (reads[topic] ?? 0) + 1;
      return Promise.resolve({ items: [], next_cursor: null });
    };
    return new QueryObserver(cache, { queryKey, queryFn, staleTime: 60_000 }).subscribe(() => undefined);
  });
  await readsOf(1);
});
afterEach(() => {
  for (const one of leave) one();
  cache.clear();
  vi.useRealTimers();
});

const PROMOTED = { digest: 1, quarantine: 1, working: 1, longterm: 1, audit: 1, stats: 1, flow: 1 };

describe('an own decision', () => {
  it('is read once, although two events tell of it', async () => {
    const refresh = new Refresh(cache);
    refresh.changed('apollo', 'promoted', 'm1');
    expect(await readsOf(1)).toEqual(PROMOTED);
    refresh.heard('apollo', 'promoted', 'm1');
    refresh.heard('apollo', 'knowledge:updated', 'm1');
    expect(await readsOf(10 * PAUSE_MS)).toEqual({});
  });

  it('whose event comes before the answer is read once', async () => {
    const refresh = new Refresh(cache);
    refresh.heard('apollo', 'knowledge:updated', 'm1');
    await vi.advanceTimersByTimeAsync(PAUSE_MS / 2);
    refresh.changed('apollo', 'promoted', 'm1');
    expect(await readsOf(10 * PAUSE_MS)).toEqual(PROMOTED);
  });

  it('reads nothing of another project', async () => {
    new Refresh(cache).changed('hermes', 'promoted', 'm1');
    expect(await readsOf(PAUSE_MS)).toEqual({});
  });

  it('on an insight joins what was decided, which is not read again', async () => {
    settle(cache, { project: 'apollo' }, insight('i1'), { review: 'promoted', memory: memory('m1') });
    refreshOf(cache).heard('apollo', 'promoted', 'm1');
    expect(await readsOf(10 * PAUSE_MS)).toEqual(PROMOTED);
    const page = cache.getQueryData<InsightPage>(queryKeys.decided('apollo'));
    expect(page?.items.map((one) => [one.id, one.decision?.memory_id])).toEqual([['i1', 'm1']]);
  });

  it('that was refused reads what others decided', async () => {
    settle(cache, { project: 'apollo' }, insight('i1'), null);
    expect(await readsOf(10 * PAUSE_MS)).toMatchObject({ decided: 1, digest: 1 });
  });
});

describe('what others do', () => {
  it('is read when a burst of events is over, once for all', async () => {
    const refresh = new Refresh(cache);
    for (const id of ['e1', 'e2', 'e3']) refresh.heard('apollo', 'recorded', id);
    refresh.heard('apollo', 'admitted', 'e1');
    expect(await readsOf(PAUSE_MS - 1)).toEqual({});
    expect(await readsOf(1)).toEqual({ quarantine: 1, working: 1, stats: 1, flow: 1 });
  });

  it('is read also after an own decision', async () => {
    const refresh = new Refresh(cache);
    refresh.changed('apollo', 'promoted', 'm1');
    await readsOf(1);
    refresh.heard('apollo', 'promoted', 'm2');
    expect(await readsOf(PAUSE_MS)).toEqual({ ...PROMOTED, decided: 1 });
  });

  it('reads everything where events were missed', async () => {
    new Refresh(cache).heard('apollo', 'reset', undefined);
    expect(Object.keys(await readsOf(1)).sort()).toEqual([...TOPICS].sort());
  });

  it('reads nothing for an event that nobody knows', async () => {
    new Refresh(cache).heard('apollo', 'toString', 'e1');
    expect(await readsOf(PAUSE_MS)).toEqual({});
  });
});
