import { describe, expect, it } from 'vitest';
import type { DecisionState } from '../src/package/decisions';
import { FIRST_VIEW, neighbour, nextOpen, viewReducer } from '../src/package/review';
import { decidedInsight, reviewSession } from '../src/package/reviewSession';
import { tally } from '../src/package/tally';
import { decided, digest, insight, MADE_AT, memory } from './fixtures';

const LATER = '2026-03-03T09:00:00.000000Z';
const EARLIER = '2026-03-01T09:00:00.000000Z';
const [a, b, c] = [insight('a'), insight('b'), insight('c')];
const ids = ({ insights }: { insights: { id: string }[] }) => insights.map((one) => one.id).join('');

describe('a review session', () => {
  it('shows what waits, then what was decided since the digest was made', () => {
    const session = reviewSession(undefined, digest([a, b]), [decided('x', LATER), decided('old', EARLIER)]);
    expect(ids(session)).toBe('abx');
  });

  it('keeps what is decided in its place, and puts what is new last', () => {
    const before = reviewSession(undefined, digest([a, b]), []);
    const after = reviewSession(before, digest([c, b]), [decided('a', LATER)]);
    expect(ids(after)).toBe('abc');
    expect(after.insights[0]?.decision?.review).toBe('promoted');
  });

  it('shows an insight once, as decided, while the digest still lists it', () => {
    const session = reviewSession(undefined, digest([a, b]), [decided('a', LATER)]);
    expect(ids(session)).toBe('ab');
    expect(session.insights[0]?.decision).not.toBeNull();
  });

  it('begins anew with a new digest', () => {
    const before = reviewSession(undefined, digest([a, b]), []);
    expect(ids(reviewSession(before, digest([b, a], { made_at: LATER }), []))).toBe('ba');
  });

  it('is empty without a digest', () => {
    expect(reviewSession(undefined, null, [decided('a', LATER)])).toEqual({ digest: null, insights: [] });
  });

  it('takes the decision from the answer of the server', () => {
    const promoted = decidedInsight(a, { review: 'promoted', memory: memory('m1') });
    expect(promoted.decision).toMatchObject({ review: 'promoted', by: 'ada', memory_id: 'm1' });
    const tombstone = { id: 't', project_id: 'apollo', kind: 'dismissed', source_id: 'a', content: '' } as const;
    const result = { review: 'dismissed', tombstone: { ...tombstone, by: 'bo', at: MADE_AT, reason: 'No' } } as const;
    expect(decidedInsight(a, result).decision).toMatchObject({ review: 'dismissed', by: 'bo', reason: 'No' });
  });
});

describe('going through the digest', () => {
  it('stops at both ends, and begins at the first', () => {
    expect([neighbour([a, b], a, -1), neighbour([a, b], a, 1), neighbour([a, b], b, 1)]).toEqual([a, b, b]);
    expect(neighbour([a, b], null, 1)).toBe(a);
    expect(neighbour([], null, 1)).toBeUndefined();
  });

  it('goes on to the next that is open, below first', () => {
    const open = (...those: string[]) => nextOpen([a, b, c], b, (one) => those.includes(one.id));
    expect([open('a', 'c'), open('a'), open()]).toEqual([c, a, b]);
  });

  it('closes the sources and the edit of the one before', () => {
    const wide = viewReducer(FIRST_VIEW, { type: 'toggleSources' });
    expect(wide).toMatchObject({ isExpanded: true, hasMoved: false });
    const edited = viewReducer(wide, { type: 'show', id: 'b', mode: 'edit', draft: 'Words' });
    expect(edited).toMatchObject({ chosen: 'b', mode: 'edit', draft: 'Words', isExpanded: false, hasMoved: true });
    expect(viewReducer(edited, { type: 'show', id: 'c' })).toMatchObject({ mode: 'read', draft: undefined });
  });
});

describe('the tally', () => {
  const session = reviewSession(undefined, digest([a, b, c], { waiting: 5 }), [decided('x', LATER, 'dismissed')]);
  const states = (...all: DecisionState[]) => new Map(all.map((one) => [one.insight.id, one]));

  it('counts what waits behind, what was decided, and what is open', () => {
    expect(tally(session, new Map())).toEqual({
      marks: ['open', 'open', 'open', 'dismissed'],
      promoted: 0,
      dismissed: 1,
      later: 0,
      open: 3,
      decided: 1,
      all: 6,
      behind: 2,
    });
  });

  it('counts a decision as soon as it is made, and no more when it failed', () => {
    const action = { kind: 'promote' } as const;
    const counted = tally(session, states({ state: 'pending', action, insight: a, since: 0 }));
    expect(counted).toMatchObject({ promoted: 1, decided: 2, open: 2 });
    const failed = tally(session, states({ state: 'failed', action, insight: a, error: new Error() }));
    expect(failed).toMatchObject({ promoted: 0, decided: 1, open: 3 });
    const later = tally(session, states({ state: 'done', action: { kind: 'later' }, insight: a }));
    expect(later).toMatchObject({ later: 1, decided: 1, open: 2 });
  });
});
