import { useEffect, useId, useRef, useState } from 'react';
import { Button } from '../components/Button';
import { Kbd } from '../components/Kbd';
import { digest as messages } from '../messages/digest';
import { useMessages } from '../messages/language';

const MOST = 500;

/** Why an insight is dismissed: one of a few reasons by its number, or one's own. */
export function DismissForm({ onDismiss, onCancel }: { onDismiss: (reason: string) => void; onCancel: () => void }) {
  const t = useMessages(messages);
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [reason, setReason] = useState('');
  useEffect(() => {
    field.current?.focus();
  }, []);
  return (
    <form
      className="mt-4 rounded-lg bg-sunken p-3.5"
      onSubmit={(event) => {
        event.preventDefault();
        if (reason.trim()) onDismiss(reason.trim());
      }}
    >
      <p className="font-medium">{t.why}</p>
      <p className="mt-0.5 text-sm text-pretty text-muted">{t.whyHelp}</p>
      <div className="mt-3 flex flex-wrap gap-2">
        {t.whys.map((why, index) => (
          <Button key={why} onClick={() => onDismiss(why)}>
            {why}
            <Kbd>{index + 1}</Kbd>
          </Button>
        ))}
      </div>
      <div className="mt-2 flex flex-wrap gap-2">
        <label htmlFor={id} className="sr-only">
          {t.whyLabel}
        </label>
        <input
          ref={field}
          id={id}
          value={reason}
          maxLength={MOST}
          placeholder={t.whyLabel}
          onChange={(event) => setReason(event.target.value)}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return;
            if (event.key === 'Escape') onCancel();
            const why = reason === '' ? t.whys[Number(event.key) - 1] : undefined;
            if (why) {
              event.preventDefault();
              onDismiss(why);
            }
          }}
          className="min-h-9 min-w-40 flex-1 rounded-lg border border-field bg-surface px-3 text-sm placeholder:text-faint"
        />
        <Button type="submit" look="danger" disabled={reason.trim() === ''}>
          {t.dismiss}
        </Button>
        <Button look="quiet" onClick={onCancel}>
          {t.cancel}
        </Button>
      </div>
    </form>
  );
}
