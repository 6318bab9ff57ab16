import { memo } from 'react';
import { Link, useSearch } from 'wouter';
import type { Receipt } from '../../api/types';
import { Badge } from '../../parts/Badge';
import { Icon, type IconName } from '../../parts/Icon';
import { Said } from '../../parts/Said';
import { badges } from '../../words/badges';
import { checks } from '../../words/checks';
import { useFormat, useWords } from '../../words/language';
import { quarantine } from '../../words/quarantine';

/** How an entry stands, for its sign and its word. */
export function standing({ admission, review }: Receipt): 'promoted' | 'admitted' | 'refused' | 'pending' {
  return review === 'promoted' ? 'promoted' : admission.decision;
}

const SIGNS: Record<ReturnType<typeof standing>, [IconName, string]> = {
  promoted: ['longterm', 'bg-verified text-on-verified'],
  admitted: ['check', 'border border-temporary-line text-temporary'],
  refused: ['close', 'bg-danger-soft text-danger'],
  pending: ['more', 'bg-sunken text-muted'],
};

export function Sign({ receipt }: { receipt: Receipt }) {
  const { decisions, reviews } = useWords(badges);
  const [icon, look] = SIGNS[standing(receipt)];
  const word = receipt.review === 'promoted' ? reviews.promoted : decisions[receipt.admission.decision];
  return (
    <span title={word} className={`flex size-6 shrink-0 items-center justify-center rounded-full ${look}`}>
      <Icon name={icon} className="size-3.5" />
      <span className="sr-only">{word}</span>
    </span>
  );
}

/** One entry in the list: what was said, by whom, and what stopped it. */
export const Row = memo(function Row({ receipt, here }: { receipt: Receipt; here: boolean }) {
  const say = useWords(quarantine);
  const { hour, full, score } = useFormat();
  const search = useSearch();
  const { entry } = receipt;
  return (
    <Link
      href={`/quarantine/${encodeURIComponent(entry.id)}${search && `?${search}`}`}
      data-row
      aria-current={here || undefined}
      className="flex gap-3 border-b border-line px-3 py-3 transition-colors hover:bg-sunken/70 focus-visible:-outline-offset-2 aria-[current]:bg-accent-soft sm:px-4"
    >
      <Sign receipt={receipt} />
      <div className="min-w-0 flex-1">
        <Said className="line-clamp-2">{entry.content}</Said>
        <div className="figures mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-[13px] text-muted">
          <span className="min-w-0 truncate">
            {entry.agent_id ?? say.unnamed} · {entry.session_id}
            {entry.confidence !== null && ` · ${score(entry.confidence)}`}
          </span>
          <Failed receipt={receipt} />
        </div>
      </div>
      <time dateTime={entry.created_at} title={full(entry.created_at)} className="figures text-[13px] text-faint">
        {hour(entry.created_at)}
      </time>
    </Link>
  );
});

function Failed({ receipt: { admission, review } }: { receipt: Receipt }) {
  const { names } = useWords(checks);
  const { reviews } = useWords(badges);
  return (
    <>
      {admission.checks
        .filter((check) => !check.passed)
        .map((check) => (
          <Badge key={check.name} tone="danger">
            {names[check.name] ?? check.name}
          </Badge>
        ))}
      {review && <Badge tone={review === 'promoted' ? 'verified' : 'neutral'}>{reviews[review]}</Badge>}
    </>
  );
}
