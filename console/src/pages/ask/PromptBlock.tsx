import { useState } from 'react';
import { Button } from '../../components/Button';
import { Icon } from '../../components/Icon';
import { useToast } from '../../components/Toast';
import { ask } from '../../messages/ask';
import { useMessages } from '../../messages/language';

const SHOWN_MS = 2_000;

/** Exactly what an agent's prompt gets, to copy. */
export function PromptBlock({ text }: { text: string }) {
  const t = useMessages(ask);
  const toast = useToast();
  const [isCopied, setIsCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setIsCopied(true);
      setTimeout(() => setIsCopied(false), SHOWN_MS);
    } catch {
      toast(t.copyFailed, 'danger');
    }
  };
  return (
    <section className="rounded-xl border border-line bg-sunken lg:sticky lg:top-6">
      <div className="flex items-center justify-between gap-2 py-2 pr-2 pl-4">
        <h2 className="text-sm font-semibold">{t.prompt}</h2>
        <Button look="quiet" onClick={() => void copy()}>
          <Icon name={isCopied ? 'check' : 'copy'} className="size-4" />
          <span aria-live="polite">{isCopied ? t.copied : t.copy}</span>
        </Button>
      </div>
      <p className="px-4 pb-3 text-xs text-muted">{t.promptHelp}</p>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and must scroll by keyboard, too.
        tabIndex={0}
        className="max-h-[60dvh] overflow-y-auto border-t border-line px-4 py-3 font-mono text-[12.5px] leading-relaxed wrap-anywhere whitespace-pre-wrap"
      >
        {text}
      </pre>
    </section>
  );
}
