import { memo } from 'react';
import type { Receipt } from '../../api/types';
import { Badge } from '../../components/Badge';
import { Icon, type IconName } from '../../components/Icon';
import { QuotedText } from '../../components/QuotedText';
import { RowLink } from '../../components/RowLink';
import { badges } from '../../messages/badges';
import { checks } from '../../messages/checks';
import { useFormat, useMessages } from '../../messages/language';
import { quarantine } from '../../messages/quarantine';

/** What became of an entry, for its icon and its word. */
export function statusOf({ admission, review }: Receipt): 'promoted' | 'admitted' | 'refused' | 'pending' {
  return review === 'promoted' ? 'promoted' : admission.decision;
}

const SIGNS: Record<ReturnType<typeof statusOf>, [IconName, string]> = {
  promoted: ['longterm', 'bg-verified text-on-verified'],
  admitted: ['check', 'border border-temporary-line text-temporary'],
  refused: ['close', 'bg-danger-soft text-danger'],
  pending: ['more', 'bg-sunken text-muted'],
};

export function Sign({ receipt }: { receipt: Receipt }) {
  const { decisions, reviews } = useMessages(badges);
  const [icon, look] = SIGNS[statusOf(receipt)];
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
  const t = useMessages(quarantine);
  const { hour, full, score } = useFormat();
  const { entry } = receipt;
  return (
    <RowLink page="/quarantine" id={entry.id} here={here}>
      <Sign receipt={receipt} />
      <div className="min-w-0 flex-1">
        <QuotedText className="line-clamp-2">{entry.content}</QuotedText>
        <div className="figures mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-[13px] text-muted">
          <span className="min-w-0 truncate">
            {entry.agent_id ?? t.unnamed} · {entry.session_id}
            {entry.confidence !== null && ` · ${score(entry.confidence)}`}
          </span>
          <Failed receipt={receipt} />
        </div>
      </div>
      <time dateTime={entry.created_at} title={full(entry.created_at)} className="figures text-[13px] text-faint">
        {hour(entry.created_at)}
      </time>
    </RowLink>
  );
});

function Failed({ receipt: { admission, review } }: { receipt: Receipt }) {
  const { names } = useMessages(checks);
  const { reviews } = useMessages(badges);
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
