import type { ReactNode, RefObject } from 'react';

/** What can be done with what a sheet shows; it stays in view at its foot. */
export function SheetFooter({ bar, children }: { bar: RefObject<HTMLDivElement | null>; children: ReactNode }) {
  return (
    <div
      ref={bar}
      className="sticky bottom-0 -mx-5 mt-6 -mb-5 border-t border-line bg-surface px-5 pt-3.5 pb-[max(1rem,env(safe-area-inset-bottom))]"
    >
      {children}
    </div>
  );
}
