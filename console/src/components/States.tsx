import type { ReactNode } from 'react';
import { Problem } from '../api/client';
import { useMessages } from '../messages/language';
import { shell } from '../messages/shell';
import { Button } from './Button';
import { Icon, type IconName } from './Icon';

/** Nothing to show, why, and what to do next. */
export function EmptyState({
  icon,
  title,
  help,
  heading: Heading = 'h2',
  children,
}: {
  icon?: IconName;
  title: string;
  heading?: 'h1' | 'h2' | 'h3';
  help?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center px-4 py-16 text-center">
      {icon && (
        <span className="mb-4 rounded-2xl bg-sunken p-3 text-muted">
          <Icon name={icon} className="size-7" />
        </span>
      )}
      <Heading className="text-lg font-semibold text-balance">{title}</Heading>
      {help && <div className="mt-2 text-pretty text-muted">{help}</div>}
      {children && <div className="mt-6 flex flex-wrap justify-center gap-2">{children}</div>}
    </div>
  );
}

/** What went wrong, in the server's own words, and a way on. */
export function ErrorState({ error, retry }: { error: Error; retry?: () => void }) {
  const t = useMessages(shell);
  const request = error instanceof Problem ? error.request : undefined;
  return (
    <div role="alert" className="mx-auto max-w-xl panel p-5">
      <h2 className="flex items-center gap-2 font-semibold text-danger">
        <Icon name="alert" /> {t.failed}
      </h2>
      <p className="mt-2 text-pretty wrap-anywhere">{useErrorMessage(error)}</p>
      {request && <p className="mt-2 font-mono text-xs text-faint">{request}</p>}
      {retry && (
        <Button className="mt-4" onClick={retry}>
          <Icon name="refresh" /> {t.retry}
        </Button>
      )}
    </div>
  );
}

/** An error as a sentence that says what to do. */
export function useErrorMessage(error: Error | null): string {
  const t = useMessages(shell);
  if (error instanceof Problem && error.status === 0) return t.unreachable;
  return error?.message ?? '';
}

/** Grey lines where rows or cards will be. */
export function Skeleton({ rows = 3, className = 'h-28' }: { rows?: number; className?: string }) {
  const t = useMessages(shell);
  return (
    <div role="status" aria-label={t.loading} className="flex flex-col gap-3">
      {Array.from({ length: rows }, (_, row) => row).map((row) => (
        <div key={row} className={`animate-pulse rounded-xl bg-sunken ${className}`} />
      ))}
    </div>
  );
}
