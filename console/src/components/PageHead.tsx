import type { ReactNode } from 'react';

/** The head of a page: its one h1, what it shows in a line, and what can be done. */
export function PageHead({ title, lead, children }: { title: string; lead?: ReactNode; children?: ReactNode }) {
  return (
    <header className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <h1 className="text-[1.375rem] leading-tight font-semibold tracking-tight text-balance lg:text-2xl">{title}</h1>
        {lead && <div className="mt-1.5 text-muted">{lead}</div>}
      </div>
      {children && <div className="flex flex-wrap items-center gap-2">{children}</div>}
    </header>
  );
}
