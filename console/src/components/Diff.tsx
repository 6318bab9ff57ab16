import type { DiffRun } from '../api/types';
import { digest } from '../messages/digest';
import { langOf, useMessages } from '../messages/language';

/** What turns one text into the other, word by word: gone is struck through, new is underlined. */
export function Diff({ runs, className = '' }: { runs: DiffRun[]; className?: string }) {
  const text = runs.map((run) => run.text).join('');
  return (
    <p lang={langOf(text)} className={`quoted ${className}`}>
      {runs.map((run, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: runs have no other name, and never move.
        <Run key={index} run={run} />
      ))}
    </p>
  );
}

function Run({ run }: { run: DiffRun }) {
  const t = useMessages(digest);
  if (run.edit === 'same') return run.text;
  const [Tag, label, look] =
    run.edit === 'removed'
      ? (['del', t.removed, 'bg-danger-soft text-danger line-through decoration-1'] as const)
      : (['ins', t.added, 'bg-verified-soft text-verified underline decoration-1 underline-offset-4'] as const);
  return (
    <Tag className={`rounded-[3px] ${look}`}>
      <span className="sr-only">[{label}] </span>
      {run.text}
    </Tag>
  );
}
