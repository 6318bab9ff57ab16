import { useEffect, useRef } from 'react';

export type Hotkeys = Record<string, () => void>;

const SEQUENCE = 1_200;

/**
 * Call what a key, or two after each other ("g d"), stands for.
 *
 * Keys are left alone in fields, with a modifier, and while a dialog is open. Esc leaves a field.
 */
export function useHotkeys(keys: Hotkeys, active = true): void {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    if (!active) return;
    let first = '';
    let at = 0;
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (isField(event.target) || document.querySelector('dialog[open]')) return;
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const pair = event.timeStamp - at < SEQUENCE ? `${first} ${key}` : '';
      const deed = current.current[pair] ?? (first === 'g' && pair ? undefined : current.current[key]);
      [first, at] = [key, event.timeStamp];
      if (!deed) return;
      event.preventDefault();
      first = '';
      deed();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [active]);
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Let j and k go down and up in a list whose rows carry `data-row`; Enter opens, as links do. */
export function useRowKeys(): void {
  const move = (step: number) => {
    const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')].sort(
      (a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top,
    );
    const here = rows.indexOf(document.activeElement as HTMLElement);
    const inView = rows.findIndex((row) => row.getBoundingClientRect().top >= 0);
    const next = rows[here < 0 ? inView : here + step];
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: 'nearest' });
  };
  useHotkeys({ j: () => move(1), k: () => move(-1) });
}
