import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type DecisionResult, Decisions, isOpen, isUndoable, UNDO_MS } from '../src/package/decisions';
import { insight, memory } from './fixtures';

const post = vi.fn();
const settled: [string, DecisionResult][] = [];
const [first, second] = [insight('first'), insight('second')];

function decisions(): Decisions {
  return new Decisions({ post }, (one, result) => settled.push([one.id, result]));
}

beforeEach(() => {
  vi.useFakeTimers();
  post.mockReset().mockResolvedValue(memory('m1'));
  settled.length = 0;
});
afterEach(() => vi.useRealTimers());

describe('a decision', () => {
  it('is sent when the time to undo it is over, and not before', async () => {
    const store = decisions();
    store.decide(first, { kind: 'promote' });
    await vi.advanceTimersByTimeAsync(UNDO_MS - 1);
    expect(post).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(post).toHaveBeenCalledExactlyOnceWith('/memory/promote', { id: 'first' });
    expect(store.all().get('first')?.state).toBe('done');
    expect(settled).toEqual([['first', { review: 'promoted', memory: memory('m1') }]]);
  });

  it('is sent in the words of the person, or with the reason', async () => {
    const store = decisions();
    store.decide(first, { kind: 'promote', text: 'Better words.' });
    store.decide(second, { kind: 'dismiss', reason: 'It is wrong' });
    await vi.advanceTimersByTimeAsync(UNDO_MS);
    expect(post.mock.calls).toEqual([
      ['/memory/promote', { id: 'first', text: 'Better words.' }],
      ['/memory/dismiss', { id: 'second', reason: 'It is wrong' }],
    ]);
  });

  it('that is changed within the time is sent once, as it was decided last', async () => {
    const store = decisions();
    store.decide(first, { kind: 'promote' });
    await vi.advanceTimersByTimeAsync(UNDO_MS - 1);
    store.decide(first, { kind: 'dismiss', reason: 'No' });
    await vi.advanceTimersByTimeAsync(UNDO_MS - 1);
    expect(post).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(post).toHaveBeenCalledExactlyOnceWith('/memory/dismiss', { id: 'first', reason: 'No' });
  });

  it('that the server refuses opens the insight again, with the error', async () => {
    post.mockRejectedValue(new Error('decided already'));
    const store = decisions();
    store.decide(first, { kind: 'promote' });
    await vi.advanceTimersByTimeAsync(UNDO_MS);
    const state = store.all().get('first');
    expect(state).toMatchObject({ state: 'failed', error: new Error('decided already') });
    expect(isOpen(first, state)).toBe(true);
    expect(settled).toEqual([['first', null]]);
  });

  it('for later is sent never, and can be taken back for good', async () => {
    const store = decisions();
    store.decide(first, { kind: 'later' });
    await vi.advanceTimersByTimeAsync(10 * UNDO_MS);
    expect(post).not.toHaveBeenCalled();
    expect(store.undo('first')).toBe(first);
    expect(store.all().size).toBe(0);
  });
});

describe('undo', () => {
  it('takes back what was decided last, and sends nothing of it', async () => {
    const store = decisions();
    store.decide(first, { kind: 'promote' });
    store.decide(second, { kind: 'promote' });
    expect(store.undo()).toBe(second);
    await vi.advanceTimersByTimeAsync(UNDO_MS);
    expect(post).toHaveBeenCalledExactlyOnceWith('/memory/promote', { id: 'first' });
  });

  it('takes the one that was decided anew for the last', () => {
    const store = decisions();
    store.decide(first, { kind: 'promote' });
    store.decide(second, { kind: 'promote' });
    store.decide(first, { kind: 'later' });
    expect(store.undo()).toBe(first);
    expect(store.undo()).toBe(second);
    expect(store.undo()).toBeNull();
  });

  it('is too late when it is sent', async () => {
    const store = decisions();
    store.decide(first, { kind: 'promote' });
    await vi.advanceTimersByTimeAsync(UNDO_MS);
    expect(store.undo('first')).toBeNull();
    expect(isUndoable(store.all().get('first') as never)).toBe(false);
  });
});

it('flushing sends at once what is held back, once', async () => {
  const store = decisions();
  store.decide(first, { kind: 'promote' });
  store.decide(second, { kind: 'dismiss', reason: 'No' });
  store.flush();
  store.flush();
  await vi.advanceTimersByTimeAsync(UNDO_MS);
  expect(post.mock.calls.map(([, body]) => body.id)).toEqual(['first', 'second']);
});

it('listeners hear of every change until they leave', () => {
  const store = decisions();
  const listener = vi.fn();
  const leave = store.subscribe(listener);
  const before = store.all();
  store.decide(first, { kind: 'promote' });
  expect(store.all()).not.toBe(before);
  store.undo();
  leave();
  store.decide(first, { kind: 'later' });
  expect(listener).toHaveBeenCalledTimes(2);
});
