import { type InfiniteData, type QueryClient, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { Client, Query } from '../../api/client';
import { useClient } from '../../api/context';
import { queryKeys } from '../../api/queryKeys';
import type { Receipt, ReceiptPage } from '../../api/types';

const PAGE = 200;
const HEAD = 100;

/**
 * All entries that match, newest first, page by page.
 *
 * What is new is read as a small head of its own: a list of thousands is never read anew for one entry.
 */
export function useEntries(query: Query) {
  const client = useClient();
  const cache = useQueryClient();
  const read = (more: Query, signal: AbortSignal) =>
    client.get<ReceiptPage>('/memory/quarantine', { ...query, ...more }, signal);
  const list = useInfiniteQuery({
    queryKey: queryKeys.entries(client.project, query),
    queryFn: ({ pageParam, signal }) => read({ limit: PAGE, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    // Comparing thousands of entries with themselves for each page takes longer than showing them.
    structuralSharing: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
  });
  const { data: head } = useQuery({
    queryKey: queryKeys.newestEntries(client.project, query),
    queryFn: ({ signal }) => read({ limit: HEAD }, signal),
    enabled: list.data !== undefined,
  });
  const entries = useMemo(() => merged(head?.items ?? [], list.data), [head, list.data]);
  const hasGap = head !== undefined && list.data !== undefined && isApart(head, list.data);
  useEffect(() => {
    if (hasGap) void cache.resetQueries({ queryKey: queryKeys.entries(client.project, query) });
  }, [hasGap, cache, client, query]);
  return { ...list, entries };
}

export function merged(head: Receipt[], list: InfiniteData<ReceiptPage> | undefined): Receipt[] {
  const known = list?.pages.flatMap((page) => page.items) ?? [];
  const fresh = new Map(head.map((one) => [one.entry.id, one]));
  const old = known.map((one) => {
    const now = fresh.get(one.entry.id) ?? one;
    fresh.delete(one.entry.id);
    return now;
  });
  return [...fresh.values(), ...old];
}

/** Whether more came than the head holds, so that something between it and the list is missing. */
export function isApart(head: ReceiptPage, list: InfiniteData<ReceiptPage>): boolean {
  const first = list.pages[0]?.items[0];
  return head.next_cursor !== null && first !== undefined && !head.items.some((one) => one.entry.id === first.entry.id);
}

/** Put an entry as it stands now into every list that shows it; null takes it out. */
export function patch(
  cache: QueryClient,
  client: Client,
  id: string,
  change: ((one: Receipt) => Receipt) | null,
): void {
  const pageWith = (page: ReceiptPage): ReceiptPage => ({
    ...page,
    items: page.items.flatMap((one) => (one.entry.id !== id ? [one] : change ? [change(one)] : [])),
  });
  cache.setQueriesData<InfiniteData<ReceiptPage>>({ queryKey: queryKeys.topic(client.project, 'entries') }, (list) =>
    list ? { ...list, pages: list.pages.map(pageWith) } : list,
  );
  cache.setQueriesData<ReceiptPage>({ queryKey: queryKeys.newestEntries(client.project) }, (page) =>
    page ? pageWith(page) : page,
  );
}
