import { createContext, type ReactNode, use, useCallback, useEffect, useRef, useState } from 'react';
import { useMessages } from '../messages/language';
import { shell } from '../messages/shell';
import { Icon } from './Icon';

interface Toast {
  id: number;
  text: string;
  tone: 'plain' | 'danger';
}

type ShowToast = (text: string, tone?: Toast['tone']) => void;

const ToastContext = createContext<ShowToast>(() => undefined);
const SECONDS = 6;

/** Say something in passing: what was done, or why it was not. */
export function useToast(): ShowToast {
  return use(ToastContext);
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const next = useRef(0);
  const drop = useCallback((id: number) => setToasts((now) => now.filter((one) => one.id !== id)), []);
  const show = useCallback<ShowToast>(
    (text, tone = 'plain') => {
      next.current += 1;
      const id = next.current;
      setToasts((now) => [...now.slice(-2), { id, text, tone }]);
      setTimeout(() => drop(id), SECONDS * 1000);
    },
    [drop],
  );
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each comes to the top anew, above a dialog that opened since.
  useEffect(() => {
    box.current?.hidePopover();
    box.current?.showPopover();
  }, [toasts]);
  const t = useMessages(shell);
  return (
    <ToastContext value={show}>
      {children}
      <div
        ref={box}
        popover="manual"
        role="status"
        aria-live="polite"
        className="pointer-events-none fixed top-auto right-4 bottom-[calc(var(--foot)+1.5rem)] left-[calc(var(--side)+1rem)] z-40 m-0 flex w-auto flex-col items-center gap-2 overflow-visible border-0 bg-transparent p-0"
      >
        {toasts.map((toast) => (
          <div
            key={toast.id}
            className="pointer-events-auto flex max-w-lg items-start gap-3 rounded-xl bg-ink px-4 py-2.5 text-sm text-paper shadow-card"
          >
            {toast.tone === 'danger' && <Icon name="alert" className="mt-0.5 size-4" />}
            <span className="wrap-anywhere">{toast.text}</span>
            <button
              type="button"
              aria-label={t.close}
              onClick={() => drop(toast.id)}
              className="-mr-1 opacity-70 hover:opacity-100"
            >
              <Icon name="close" className="mt-0.5 size-4" />
            </button>
          </div>
        ))}
      </div>
    </ToastContext>
  );
}
