/** The sieve: many, fewer, and the few that stay. */
export function Logo({ className = 'size-6' }: { className?: string }) {
  return (
    <svg viewBox="0 0 24 24" className={`shrink-0 text-accent ${className}`} aria-hidden="true" focusable="false">
      <g fill="none" stroke="currentColor" strokeWidth="2.6" strokeLinecap="round">
        <path d="M3 5.5h18" strokeDasharray="0.1 4.4" />
        <path d="M5 12h14" strokeDasharray="2.2 4.6" />
        <path d="M7 18.5h10" />
      </g>
    </svg>
  );
}
