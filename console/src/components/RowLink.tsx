import type { ReactNode } from 'react';
import { Link, useSearch } from 'wouter';

export interface RowLinkProps {
  /** The page of the list, in which this opens. */
  page: string;
  id: string;
  /** Whether it is open. */
  here: boolean;
  children: ReactNode;
}

/** A row of a list that opens beside it; what the list is narrowed down to stays. */
export function RowLink({ page, id, here, children }: RowLinkProps) {
  const search = useSearch();
  return (
    <Link
      href={`${page}/${encodeURIComponent(id)}${search && `?${search}`}`}
      data-row
      aria-current={here || undefined}
      className="flex gap-3 border-b border-line px-3 py-3 transition-colors hover:bg-sunken/70 focus-visible:-outline-offset-2 aria-[current]:bg-accent-soft sm:px-4"
    >
      {children}
    </Link>
  );
}
