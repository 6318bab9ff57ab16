import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useMessages } from '../messages/language';
import { shell } from '../messages/shell';
import { Icon } from './Icon';

export interface DialogProps {
  title: string;
  open: boolean;
  onClose: () => void;
  /** A sheet comes from the edge: below on a phone, at the right elsewhere. */
  sheet?: boolean;
  /** It closes by its own buttons alone, since what it shows is not shown again. */
  firm?: boolean;
  children: ReactNode;
}

/**
 * The browser's own dialog: it keeps the focus in, gives it back, and closes with Esc or a click beside it.
 *
 * What carries `data-first` has the focus first.
 */
export function Dialog({ title, open, onClose, sheet = false, firm = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const t = useMessages(shell);
  useEffect(() => {
    if (!open) return dialog.current?.close();
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>('[data-first]')?.focus();
  }, [open]);
  const place = sheet
    ? 'mt-auto mb-0 w-full max-w-none rounded-t-2xl sm:my-0 sm:mr-0 sm:ml-auto sm:h-dvh sm:max-h-none sm:w-[30rem] sm:rounded-none sm:rounded-l-2xl'
    : 'm-auto w-[min(34rem,calc(100vw-2rem))] rounded-2xl';
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes it, as the browser has it.
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onClose={onClose}
      onCancel={(event) => firm && event.preventDefault()}
      onClick={(event) => event.target === dialog.current && !firm && onClose()}
      className={`max-h-[85dvh] overflow-y-auto border border-line bg-surface text-ink shadow-card backdrop:bg-black/40 ${place}`}
    >
      {open && (
        <div className="p-5 pb-[max(1.25rem,env(safe-area-inset-bottom))]">
          <div className="mb-4 flex items-start justify-between gap-4">
            <h2 id={heading} className="text-lg font-semibold">
              {title}
            </h2>
            <button
              type="button"
              onClick={onClose}
              aria-label={t.close}
              className="-m-1.5 rounded-lg p-1.5 text-muted hover:bg-sunken hover:text-ink"
            >
              <Icon name="close" />
            </button>
          </div>
          {children}
        </div>
      )}
    </dialog>
  );
}
