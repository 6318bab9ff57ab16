import type { ReactNode } from 'react';
import type { Dispute, Insight, InsightSource } from '../api/types';
import { VerifiedBadge } from '../components/Badge';
import { Button } from '../components/Button';
import { Diff } from '../components/Diff';
import { QuotedText } from '../components/QuotedText';
import { digest as messages } from '../messages/digest';
import { useFormat, useLanguage, useMessages } from '../messages/language';
import { useHeading } from './level';
import { useReview } from './review';

/** Where sources contradict each other: both sides, side by side; further pairs on demand. */
export function Disputes({ insight, onUse }: { insight: Insight; onUse?: (text: string) => void }) {
  const t = useMessages(messages);
  const [first, ...others] = insight.disputes;
  if (!first) return null;
  const show = (one: Dispute) => (
    <Sides key={`${one.first_id} ${one.second_id}`} dispute={one} insight={insight} {...(onUse && { onUse })} />
  );
  return (
    <section>
      <Title>{t.sides}</Title>
      <p className="mb-2.5 text-sm text-muted">{t.sidesHelp}</p>
      {show(first)}
      {others.length > 0 && (
        <details className="mt-2 text-sm">
          <summary className="w-fit rounded link">{t.morePairs(others.length)}</summary>
          <div className="mt-2 flex flex-col gap-3">{others.map(show)}</div>
        </details>
      )}
    </section>
  );
}

function Sides({ dispute, insight, onUse }: { dispute: Dispute; insight: Insight; onUse?: (text: string) => void }) {
  const difference = useMessages(dispute.difference);
  const find = (id: string) => insight.sources.find((one) => one.entry_id === id);
  const use = onUse && { onUse };
  return (
    <div>
      <div className="grid gap-2 sm:grid-cols-2">
        <Side quote={dispute.first_quote} source={find(dispute.first_id)} {...use} />
        <Side quote={dispute.second_quote} source={find(dispute.second_id)} {...use} />
      </div>
      <p className="mt-1.5 text-sm font-medium text-danger first-letter:uppercase">{difference}</p>
    </div>
  );
}

function Side({
  quote,
  source,
  onUse,
}: {
  quote: string;
  source: InsightSource | undefined;
  onUse?: (text: string) => void;
}) {
  const t = useMessages(messages);
  return (
    <div className="flex flex-col rounded-lg border border-line border-t-2 border-t-danger bg-paper p-3">
      <QuotedText>{quote}</QuotedText>
      <div className="mt-auto flex flex-wrap items-end justify-between gap-2 pt-2">
        {source && <Byline source={source} />}
        {onUse && (
          <Button look="quiet" className="-mr-2 -mb-1.5 ml-auto text-accent" onClick={() => onUse(quote)}>
            {t.useMessages}
          </Button>
        )}
      </div>
    </div>
  );
}

/** Who said it, where, how sure, and when. */
export function Byline({ source }: { source: InsightSource }) {
  const t = useMessages(messages);
  const { score, time, full } = useFormat();
  return (
    <p className="figures text-[13px] text-muted">
      <span className="font-medium text-ink">{source.agent_id ?? t.unnamed}</span>
      {` · ${source.session_id}`}
      {source.confidence !== null && ` · ${score(source.confidence)}`}
      {' · '}
      <time dateTime={source.created_at} title={full(source.created_at)}>
        {time(source.created_at)}
      </time>
    </p>
  );
}

/** The verified memory that is nearest, as a diff of its words into the summary's. */
export function NearestMemory({ insight }: { insight: Insight }) {
  const { linkTo } = useReview();
  const t = useMessages(messages);
  const language = useLanguage();
  const { percent } = useFormat();
  const { nearest } = insight;
  if (!nearest) return null;
  return (
    <section>
      <Title>
        {t.nearest}
        <VerifiedBadge />
        <span className="figures text-[13px] font-normal text-muted">{t.alike(percent(nearest.similarity))}</span>
      </Title>
      <div className="rounded-lg border border-line bg-paper p-3">
        <Diff runs={nearest.diff} />
        {nearest.conflict && (
          <p className="mt-1.5 text-sm text-muted">
            <span className="text-danger first-letter:uppercase">{nearest.conflict[language]}</span> · {t.conflictHelp}
          </p>
        )}
        {linkTo && (
          <a href={linkTo('memory', nearest.memory_id)} className="mt-1.5 inline-block text-sm link">
            {t.openMemory}
          </a>
        )}
      </div>
    </section>
  );
}

export function Title({ children }: { children: ReactNode }) {
  const Heading = useHeading(2);
  return <Heading className="mb-2 flex flex-wrap items-center gap-2 text-sm font-semibold">{children}</Heading>;
}
