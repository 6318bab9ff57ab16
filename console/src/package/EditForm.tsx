import { useEffect, useId, useRef, useState } from 'react';
import type { Insight } from '../api/types';
import { Button } from '../parts/Button';
import { Diff } from '../parts/Diff';
import { diff } from '../parts/diff';
import { digest as words } from '../words/digest';
import { langOf, useWords } from '../words/language';

export interface EditFormProps {
  insight: Insight;
  /** What to begin with, in place of its own words. */
  start?: string | undefined;
  onPromote: (text?: string) => void;
  onCancel: () => void;
}

/** The summary, editable where it stands; what changes against its own words is shown below. */
export function EditForm({ insight, start, onPromote, onCancel }: EditFormProps) {
  const say = useWords(words);
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
        {say.editLabel}
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
        className="said -mx-3 field-sizing-content w-[calc(100%+1.5rem)] resize-none rounded-lg border border-accent bg-paper px-[11px] py-2 text-[1.125rem] font-medium outline-none sm:text-[1.1875rem]"
      />
      {isChanged && text.trim() !== '' && (
        <Diff runs={diff(insight.summary, text.trim())} className="mt-2 text-sm text-muted" />
      )}
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <Button type="submit" look="primary" disabled={text.trim() === ''}>
          {isChanged ? say.promoteEdited : say.promote}
        </Button>
        <Button onClick={onCancel}>{say.cancel}</Button>
        {isChanged && (
          <Button look="quiet" onClick={() => setText(insight.summary)}>
            {say.asWas}
          </Button>
        )}
        <span className="hidden text-xs text-faint sm:pointer-fine:inline">{say.editHelp}</span>
      </div>
    </form>
  );
}
