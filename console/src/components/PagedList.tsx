import { useCallback } from 'react';
import { VirtualList, type VirtualListProps } from './VirtualList';

export interface PagedListProps<T> extends Omit<VirtualListProps<T>, 'onEnd'> {
  /** The query that reads the list page by page. */
  pages: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}

/** A list in a card, which reads its next page when its end comes near. */
export function PagedList<T>({ pages, ...list }: PagedListProps<T>) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return (
    <div className="overflow-hidden panel">
      <VirtualList {...list} onEnd={more} />
    </div>
  );
}

/** How many there are, or were found, above a list. */
export function ListCount({ children }: { children: string | undefined }) {
  return (
    <p role="status" className="figures mb-2 min-h-5 text-[13px] text-muted">
      {children}
    </p>
  );
}
