import { useInfiniteQuery } from '@tanstack/react-query';
import { useClient } from '../../api/context';
import { queryKeys } from '../../api/queryKeys';
import type { MemoryPage } from '../../api/types';

const PAGE = 100;

/** Memories that hold the text, newest first. */
export function useMemories(search: string, retired: boolean) {
  const client = useClient();
  const wanted = { search, newest_first: true, ...(retired && { retired }) };
  const list = useInfiniteQuery({
    queryKey: queryKeys.memories(client.project, wanted),
    queryFn: ({ pageParam, signal }) =>
      client.get<MemoryPage>('/memory/longterm', { ...wanted, limit: PAGE, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });
  return { ...list, memories: list.data?.pages.flatMap((page) => page.items) ?? [] };
}
