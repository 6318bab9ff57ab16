import type { ComponentProps } from 'react';
import { Kbd } from './Kbd';

const LOOKS = {
  primary: 'bg-accent text-on-accent hover:brightness-110 font-medium',
  outline: 'border border-strong text-ink hover:border-accent hover:text-accent bg-surface',
  quiet: 'text-muted hover:text-ink hover:bg-sunken',
  inverse: 'text-paper hover:bg-paper/15',
  danger: 'bg-danger text-surface hover:brightness-110 font-medium',
};

export interface ButtonProps extends ComponentProps<'button'> {
  look?: keyof typeof LOOKS;
  /** The key that does the same. */
  hotkey?: string;
}

export function Button({ look = 'outline', hotkey, className = '', children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      aria-keyshortcuts={hotkey}
      className={`inline-flex min-h-9 items-center justify-center gap-1.5 rounded-lg px-3 py-1.5 text-sm whitespace-nowrap transition disabled:opacity-50 ${LOOKS[look]} ${className}`}
      {...rest}
    >
      {children}
      {hotkey && <Kbd on={look === 'primary' || look === 'inverse'}>{hotkey}</Kbd>}
    </button>
  );
}
