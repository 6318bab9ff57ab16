import { type FormEvent, useId, useState } from 'react';
import { Problem } from '../api/client';
import { Button } from '../components/Button';
import { Logo } from '../components/Logo';
import { useErrorMessage } from '../components/States';
import { type Language, useMessages } from '../messages/language';
import { signin } from '../messages/signin';
import { useSignIn } from '../session';
import { LanguageChoice, ThemeChoice } from '../shell/Controls';

export interface SignInProps {
  onLanguage: (language: Language) => void;
  /** Whether the key that came with a link was refused. */
  refused: boolean;
  /** Where a caller without a key may do something: go on as that. */
  onGuest?: () => void;
}

export function SignIn({ onLanguage, refused, onGuest }: SignInProps) {
  const t = useMessages(signin);
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col px-5 py-6">
      <div className="flex justify-end gap-2">
        <LanguageChoice onLanguage={onLanguage} />
        <ThemeChoice />
      </div>
      <div className="my-auto py-10">
        <Logo className="size-11" />
        <h1 className="mt-5 text-2xl font-semibold tracking-tight">{t.title}</h1>
        <p className="mt-2 text-pretty text-muted">{t.lead}</p>
        <KeyForm refused={refused} />
        {onGuest && (
          <div className="mt-8 border-t border-line pt-5 text-sm">
            <button type="button" onClick={onGuest} className="font-medium link-underlined">
              {t.without}
            </button>
            <p className="mt-1 text-muted">{t.withoutHelp}</p>
          </div>
        )}
      </div>
    </main>
  );
}

function KeyForm({ refused }: { refused: boolean }) {
  const t = useMessages(signin);
  const field = useId();
  const { signIn } = useSignIn();
  const [key, setKey] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const message = useErrorMessage(error);
  const isUnknown = error instanceof Problem && error.status === 401;
  const problem = isUnknown || (refused && !error) ? t.refused : message;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    await signIn(key.trim()).catch(setError);
    setBusy(false);
  };

  return (
    <form onSubmit={submit} className="mt-7">
      <label htmlFor={field} className="block text-sm text-muted">
        {t.link}
      </label>
      <div className="mt-2 flex gap-2">
        <input
          id={field}
          type="password"
          autoComplete="off"
          spellCheck={false}
          required
          value={key}
          onChange={(event) => setKey(event.target.value)}
          placeholder={t.placeholder}
          aria-label={t.key}
          aria-invalid={problem !== ''}
          aria-describedby={problem ? `${field}-problem` : undefined}
          className="min-w-0 flex-1 rounded-lg border border-field bg-surface px-3 py-2 font-mono text-sm placeholder:text-faint"
        />
        <Button type="submit" look="primary" disabled={busy || key.trim() === ''}>
          {busy ? t.busy : t.submit}
        </Button>
      </div>
      <p id={`${field}-problem`} role="alert" className="mt-2 text-sm text-danger empty:hidden">
        {problem}
      </p>
      <p className="mt-3 text-xs text-pretty text-faint">{t.kept}</p>
    </form>
  );
}
