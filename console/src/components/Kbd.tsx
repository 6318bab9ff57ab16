import type { ReactNode } from 'react';

/** A key of the keyboard; out of sight where there is only a finger. */
export function Kbd({ children, on = false }: { children: ReactNode; on?: boolean }) {
  const look = on ? 'border-current/40' : 'border-strong text-faint';
  return (
    <span
      aria-hidden="true"
      className={`ml-0.5 hidden min-w-5 rounded border px-1 text-center font-sans text-[11px] leading-[18px] uppercase sm:pointer-fine:inline-block ${look}`}
    >
      {children}
    </span>
  );
}
