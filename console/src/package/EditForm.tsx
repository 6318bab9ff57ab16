import { useEffect, useId, useRef, useState } from 'react';
import type { Insight } from '../api/types';
import { Button } from '../components/Button';
import { Diff } from '../components/Diff';
import { diff } from '../components/diff';
import { digest as messages } from '../messages/digest';
import { langOf, useMessages } from '../messages/language';

export interface EditFormProps {
  insight: Insight;
  /** What to begin with, in place of its own words. */
  start?: string | undefined;
  onPromote: (text?: string) => void;
  onCancel: () => void;
}

/** The summary, editable where it stands; what changes against its own words is shown below. */
export function EditForm({ insight, start, onPromote, onCancel }: EditFormProps) {
  const t = useMessages(messages);
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(start ?? insight.summary);
  const isChanged = text.trim() !== insight.summary.trim();
  useEffect(() => {
    const end = field.current?.value.length ?? 0;
    field.current?.focus();
    field.current?.setSelectionRange(end, end);
  }, []);
  const submit = () => {
    if (text.trim()) onPromote(isChanged ? text.trim() : undefined);
  };
  return (
    <form
      className="mt-2"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <label htmlFor={id} className="sr-only">
        {t.editLabel}
      </label>
      <textarea
        ref={field}
        id={id}
        lang={langOf(text)}
        value={text}
        rows={2}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Escape') onCancel();
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
        }}
        className="quoted -mx-3 field-sizing-content w-[calc(100%+1.5rem)] resize-none rounded-lg border border-accent bg-paper px-[11px] py-2 text-[1.125rem] font-medium outline-none sm:text-[1.1875rem]"
      />
      {isChanged && text.trim() !== '' && (
        <Diff runs={diff(insight.summary, text.trim())} className="mt-2 text-sm text-muted" />
      )}
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <Button type="submit" look="primary" disabled={text.trim() === ''}>
          {isChanged ? t.promoteEdited : t.promote}
        </Button>
        <Button onClick={onCancel}>{t.cancel}</Button>
        {isChanged && (
          <Button look="quiet" onClick={() => setText(insight.summary)}>
            {t.asWas}
          </Button>
        )}
        <span className="hidden text-xs text-faint sm:pointer-fine:inline">{t.editHelp}</span>
      </div>
    </form>
  );
}
