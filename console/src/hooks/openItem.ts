import { useCallback } from 'react';
import { useLocation, useParams, useSearch } from 'wouter';

/** What is open in a page of a list, and the way back to the list as it was. */
export function useOpenItem(page: string): { id: string | undefined; close: () => void } {
  const { id } = useParams();
  const [, go] = useLocation();
  const search = useSearch();
  const close = useCallback(() => {
    if (location.pathname.startsWith(`${page}/`)) go(`${page}${search && `?${search}`}`, { replace: true });
  }, [go, page, search]);
  return { id: id && decodeURIComponent(id), close };
}
