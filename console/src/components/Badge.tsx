import type { ReactNode } from 'react';
import { badges } from '../messages/badges';
import { useFormat, useMessages } from '../messages/language';

const TONES = {
  neutral: 'bg-sunken text-muted',
  accent: 'bg-accent-soft text-accent',
  verified: 'bg-verified-soft text-verified',
  temporary: 'bg-temporary-soft text-temporary',
  danger: 'bg-danger-soft text-danger',
};

export type Tone = keyof typeof TONES;

/** A small word about something: a state, a kind, a count. */
export function Badge({ tone = 'neutral', title, children }: { tone?: Tone; title?: string; children: ReactNode }) {
  return (
    <span
      title={title}
      className={`inline-flex items-center gap-1 rounded-md px-1.5 py-0.5 text-xs font-medium whitespace-nowrap ${TONES[tone]}`}
    >
      {children}
    </span>
  );
}

const PILL = 'inline-flex items-center gap-1 rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap';

/** ✅ A person approved it. */
export function VerifiedBadge() {
  const t = useMessages(badges);
  return <span className={`${PILL} bg-verified text-on-verified`}>✅ {t.verified}</span>;
}

export interface TemporaryContextBadgeProps {
  /** When it leaves working memory; the badge then says how long it still holds. */
  expiresAt?: string | null;
}

/** ⚡️ Nobody approved it: not the only ground for a decision. */
export function TemporaryContextBadge({ expiresAt = null }: TemporaryContextBadgeProps) {
  const t = useMessages(badges);
  const { span, full } = useFormat();
  const left = expiresAt === null ? null : Date.parse(expiresAt) - Date.now();
  return (
    <span
      className={`${PILL} border border-temporary-line text-temporary`}
      title={expiresAt === null ? t.temporaryHelp : `${t.temporaryHelp} ${t.until(full(expiresAt))}`}
    >
      ⚡️ {t.temporary}
      {left !== null && <span className="figures font-normal">· {left > 0 ? t.left(span(left)) : t.gone}</span>}
    </span>
  );
}
