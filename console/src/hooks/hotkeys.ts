import { useEffect, useRef } from 'react';

export type Hotkeys = Record<string, () => void>;

const SEQUENCE_MS = 1_200;

/** Tells keys, and two that come after each other ("g d"), from what is pressed. */
export class KeySequence {
  #first = '';
  #at = Number.NEGATIVE_INFINITY;

  /** Return the name under which something is bound to this key and the one before; undefined where nothing is. */
  press(key: string, at: number, isBound: (name: string) => boolean): string | undefined {
    const isSecond = at - this.#at < SEQUENCE_MS && this.#first !== '';
    const pair = `${this.#first} ${key}`;
    const name = isSecond && isBound(pair) ? pair : isSecond && this.#first === 'g' ? undefined : key;
    const found = name !== undefined && isBound(name) ? name : undefined;
    this.#first = found === undefined ? key : '';
    this.#at = at;
    return found;
  }
}

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
    const sequence = new KeySequence();
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (isField(event.target) || document.querySelector('dialog[open]')) return;
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const name = sequence.press(key, event.timeStamp, (one) => Object.hasOwn(current.current, one));
      if (name === undefined) return;
      event.preventDefault();
      current.current[name]?.();
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
    // Rows stand in the page in their order, also those of a list that is drawn in part.
    const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
    const here = rows.indexOf(document.activeElement as HTMLElement);
    const next = here < 0 ? rows.find((row) => row.getBoundingClientRect().top >= 0) : rows[here + step];
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: 'nearest' });
  };
  useHotkeys({ j: () => move(1), k: () => move(-1) });
}
