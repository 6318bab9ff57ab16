import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { langOf } from '../messages/language';
import { Button } from './Button';

export interface ConfirmFormProps {
  /** Left out where a dialog says it. */
  title?: string;
  help: ReactNode;
  /** What the field holds: a reason, or the words themselves. */
  label: string;
  first?: string;
  /** A few reasons to take with one click. */
  choices?: string[];
  sure: string;
  cancel: string;
  look: 'primary' | 'danger';
  busy: boolean;
  problem: string;
  most?: number;
  onSure: (text: string) => void;
  onCancel: () => void;
}

const REASON = 500;

/** The last question before something that cannot be taken back: what it does, why, and a way out. */
export function ConfirmForm({
  title,
  help,
  label,
  first = '',
  choices = [],
  most = REASON,
  ...props
}: ConfirmFormProps) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(first);
  useEffect(() => field.current?.focus(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() && !props.busy) props.onSure(text.trim());
  };
  return (
    <form onSubmit={submit}>
      {title && <h3 className="font-semibold">{title}</h3>}
      <div className="mt-0.5 text-sm text-pretty text-muted">{help}</div>
      {choices.length > 0 && (
        <div className="mt-3 flex flex-wrap gap-1.5">
          {choices.map((choice) => (
            <Button key={choice} aria-pressed={text === choice} onClick={() => setText(choice)}>
              {choice}
            </Button>
          ))}
        </div>
      )}
      <label htmlFor={id} className="mt-3 mb-1 block text-xs text-muted">
        {label}
      </label>
      <textarea
        ref={field}
        data-first
        id={id}
        rows={first ? 4 : 2}
        lang={text ? langOf(text) : undefined}
        value={text}
        maxLength={most}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
          if (event.key === 'Escape') {
            // It closes this question, not the sheet around it.
            event.preventDefault();
            props.onCancel();
          }
        }}
        className="field-sizing-content max-h-60 w-full rounded-lg border border-field bg-surface px-3 py-2 text-[15px]"
      />
      {props.problem && (
        <p role="alert" className="mt-2 problem">
          {props.problem}
        </p>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button type="submit" look={props.look} disabled={props.busy || text.trim() === ''}>
          {props.sure}
        </Button>
        <Button look="quiet" onClick={props.onCancel}>
          {props.cancel}
        </Button>
      </div>
    </form>
  );
}

/** Keep the focus in the sheet when what was decided takes its buttons away: it goes to the one that closes it. */
export function focusSheet(part: Element | null): void {
  part?.closest('dialog')?.querySelector('button')?.focus();
}

const SOON = 100;

/** Keep the focus in the page when what had it is gone, and its dialog with it. */
export function focusPage(): void {
  setTimeout(() => document.activeElement === document.body && document.getElementById('content')?.focus(), SOON);
}
