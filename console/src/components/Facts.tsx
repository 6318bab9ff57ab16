import type { ReactNode } from 'react';

/** What is known of something, each with its name; what is missing is left out. */
export function Facts({ rows }: { rows: [name: string, value: ReactNode][] }) {
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-5 gap-y-1.5 text-sm">
      {rows
        .filter(([, value]) => value !== null && value !== '')
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="figures wrap-anywhere">{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A part of a sheet. */
export function Part({ title, children }: { title: ReactNode; children: ReactNode }) {
  return (
    <section className="mt-6 border-t border-line pt-5">
      <h3 className="mb-3 flex flex-wrap items-baseline gap-2 text-sm font-semibold">{title}</h3>
      {children}
    </section>
  );
}
