import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../../components/Button';
import { Icon } from '../../components/Icon';
import { ask } from '../../messages/ask';
import { useMessages } from '../../messages/language';
import type { Question } from './question';

export interface QuestionFormProps {
  question: Question;
  busy: boolean;
  onAsk: (question: Question) => void;
}

const LONGEST = 16_384;

export function QuestionForm({ question, busy, onAsk }: QuestionFormProps) {
  const t = useMessages(ask);
  const [draft, setDraft] = useState(question);
  const field = useRef<HTMLInputElement>(null);
  const isFirst = question.query === '';
  useEffect(() => {
    if (isFirst) field.current?.focus();
  }, [isFirst]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (draft.query.trim()) onAsk({ ...draft, query: draft.query.trim() });
  };
  return (
    <form onSubmit={submit}>
      <div className="flex items-center gap-2 rounded-xl border border-field bg-surface p-1.5 pl-4 transition-colors focus-within:border-accent focus-within:ring-1 focus-within:ring-accent">
        <Icon name="ask" className="size-5 text-faint" />
        <input
          ref={field}
          data-search
          aria-label={t.label}
          value={draft.query}
          maxLength={LONGEST}
          placeholder={t.placeholder}
          onChange={(event) => setDraft({ ...draft, query: event.target.value })}
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
          className="min-w-0 flex-1 bg-transparent py-1.5 text-[1.0625rem] outline-none placeholder:text-faint"
        />
        <Button type="submit" look="primary" disabled={busy || draft.query.trim() === ''}>
          {busy ? `${t.asking}…` : draft.query === question.query && !isFirst ? t.again : t.submit}
        </Button>
      </div>
      <Options draft={draft} onChange={setDraft} />
    </form>
  );
}

function Options({ draft, onChange }: { draft: Question; onChange: (draft: Question) => void }) {
  const t = useMessages(ask);
  const whole = (text: string) => (text === '' ? undefined : Number(text));
  return (
    <details className="group mt-2 text-sm">
      <summary className="inline-flex list-none items-center gap-1 rounded-lg py-1.5 pr-2 text-muted hover:text-ink [&::-webkit-details-marker]:hidden">
        <Icon name="right" className="size-4 transition-transform group-open:rotate-90" />
        {t.options}
      </summary>
      <div className="mt-1 grid grid-cols-2 gap-x-4 gap-y-3 rounded-xl bg-sunken p-4 sm:grid-cols-3 lg:grid-cols-5">
        <Field
          label={t.verifiedMost}
          type="number"
          min={0}
          max={100}
          value={draft.max_results}
          onText={(text) => onChange({ ...draft, max_results: whole(text) ?? 5 })}
        />
        <Field
          label={t.temporaryMost}
          type="number"
          min={0}
          max={100}
          value={draft.max_unverified}
          onText={(text) => onChange({ ...draft, max_unverified: whole(text) ?? 10 })}
        />
        <Field
          label={t.days}
          type="number"
          min={0}
          step="any"
          placeholder={t.daysAny}
          value={draft.time_range_days ?? ''}
          onText={(text) => onChange({ ...draft, time_range_days: whole(text) })}
        />
        <Field
          label={t.threshold}
          type="number"
          min={0}
          max={1}
          step={0.05}
          value={draft.relevance_threshold}
          onText={(text) => onChange({ ...draft, relevance_threshold: whole(text) ?? 0 })}
        />
        <Field
          label={t.session}
          title={t.sessionHelp}
          maxLength={128}
          value={draft.session_id ?? ''}
          onText={(text) => onChange({ ...draft, session_id: text || undefined })}
        />
      </div>
    </details>
  );
}

interface FieldProps extends Omit<React.ComponentProps<'input'>, 'onChange'> {
  label: string;
  onText: (text: string) => void;
}

function Field({ label, onText, ...rest }: FieldProps) {
  return (
    <label className="block">
      <span className="mb-1 block text-xs text-muted">{label}</span>
      <input
        {...rest}
        onChange={(event) => onText(event.target.value)}
        className="figures w-full rounded-lg border border-field bg-surface px-2.5 py-1.5 placeholder:text-faint"
      />
    </label>
  );
}
