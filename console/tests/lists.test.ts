import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { Client } from '../src/api/client';
import { queryKeys } from '../src/api/queryKeys';
import { isApart, merged, patch } from '../src/pages/quarantine/entries';
import { queryOf } from '../src/pages/quarantine/filters';
import { receipt } from './fixtures';

const page = (ids: string[], next_cursor: string | null = null) => ({
  items: ids.map((id) => receipt(id)),
  next_cursor,
});
const list = (...pages: ReturnType<typeof page>[]) => ({ pages, pageParams: pages.map(() => null) });
const ids = (receipts: { entry: { id: string } }[]) => receipts.map((one) => one.entry.id).join('');

describe('the newest entries and the pages of the list', () => {
  it('are one list, without an entry twice', () => {
    expect(ids(merged(page(['z', 'y', 'c']).items, list(page(['c', 'b']), page(['a']))))).toBe('zycba');
  });

  it('show an entry as it was read last', () => {
    const fresh = receipt('b', { review: 'promoted' });
    const [, b] = merged([fresh], list(page(['c', 'b', 'a'])));
    expect(b).toBe(fresh);
  });

  it('have a gap where more came than the newest hold', () => {
    const known = list(page(['c', 'b', 'a']));
    expect(isApart(page(['z', 'y'], 'more'), known)).toBe(true);
    expect(isApart(page(['z', 'c'], 'more'), known)).toBe(false);
    expect(isApart(page(['z', 'y']), known)).toBe(false);
    expect(isApart(page(['z'], 'more'), list(page([])))).toBe(false);
  });
});

it('an entry is changed or taken out in every list of its project, and in no other', () => {
  const cache = new QueryClient();
  const client = new Client({ project: 'apollo' });
  const keys = [queryKeys.entries('apollo', { decision: 'admitted' }), queryKeys.entries('hermes', {})];
  for (const key of keys) cache.setQueryData(key, list(page(['b', 'a'])));
  cache.setQueryData(queryKeys.newestEntries('apollo', {}), page(['b']));
  const items = () => keys.map((key) => cache.getQueryData<ReturnType<typeof list>>(key)?.pages[0]?.items ?? []);
  patch(cache, client, 'b', (one) => ({ ...one, review: 'dismissed' }));
  expect(items().map((one) => one[0]?.review)).toEqual(['dismissed', null]);
  patch(cache, client, 'b', null);
  expect(items().map(ids)).toEqual(['a', 'ba']);
  expect(cache.getQueryData<ReturnType<typeof page>>(queryKeys.newestEntries('apollo', {}))?.items).toEqual([]);
});

describe('filters', () => {
  const none = {
    search: '',
    decision: '',
    check: '',
    review: '',
    time: '',
    from: '',
    to: '',
    session: '',
    agent: '',
  };

  it('take whole days of the reader, the last one with them', () => {
    const { since, until } = queryOf({ ...none, time: 'range', from: '2026-03-01', to: '2026-03-02' });
    expect(since).toBe(new Date(2026, 2, 1).toISOString());
    expect(until).toBe(new Date(2026, 2, 3).toISOString());
  });

  it('ignore dates without the range, and dates that are none', () => {
    expect(queryOf({ ...none, from: '2026-03-01' })).toMatchObject({ since: '' });
    expect(queryOf({ ...none, time: 'range', from: 'soon' })).toMatchObject({ since: '', until: '' });
  });
});

describe('addresses', () => {
  it('hold the project, and what is set', () => {
    const client = new Client({ baseUrl: 'https://memory.example.org/', project: 'apollo' });
    const query = { search: 'a & b', cursor: null, limit: 5, decision: '' };
    expect(client.address('/memory/quarantine', query)).toBe(
      'https://memory.example.org/api/v1/memory/quarantine?project_id=apollo&search=a+%26+b&limit=5',
    );
    expect(client.address('/keys', { project_id: null })).toBe('https://memory.example.org/api/v1/keys');
  });
});
