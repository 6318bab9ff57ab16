import { useState } from 'react';
import { Button, type ButtonProps } from './Button';
import { Icon } from './Icon';

export interface CopyButtonProps extends Omit<ButtonProps, 'onClick'> {
  text: string;
  label: string;
  done: string;
}

const SHOWN = 2_000;

/** Puts a text on the clipboard, and says so. */
export function CopyButton({ text, label, done, ...rest }: CopyButtonProps) {
  const [isDone, setIsDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setIsDone(true);
    setTimeout(() => setIsDone(false), SHOWN);
  };
  return (
    <Button {...rest} onClick={() => void copy()}>
      <Icon name={isDone ? 'check' : 'copy'} className="size-4" />
      <span aria-live="polite">{isDone ? done : label}</span>
    </Button>
  );
}
