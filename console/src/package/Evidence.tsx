import type { ReactNode } from 'react';
import type { Dispute, Insight, InsightSource } from '../api/types';
import { VerifiedBadge } from '../parts/Badge';
import { Button } from '../parts/Button';
import { Diff } from '../parts/Diff';
import { Said } from '../parts/Said';
import { digest as words } from '../words/digest';
import { useFormat, useLanguage, useWords } from '../words/language';
import { useHeading } from './level';

/** Where sources contradict each other: both sides, side by side; further pairs on demand. */
export function Disputes({ insight, onUse }: { insight: Insight; onUse?: (text: string) => void }) {
  const say = useWords(words);
  const [first, ...others] = insight.disputes;
  if (!first) return null;
  const show = (one: Dispute) => (
    <Sides key={`${one.first_id} ${one.second_id}`} dispute={one} insight={insight} {...(onUse && { onUse })} />
  );
  return (
    <section>
      <Title>{say.sides}</Title>
      <p className="mb-2.5 text-sm text-muted">{say.sidesHelp}</p>
      {show(first)}
      {others.length > 0 && (
        <details className="mt-2 text-sm">
          <summary className="w-fit rounded text-accent underline-offset-4 hover:underline">
            {say.morePairs(others.length)}
          </summary>
          <div className="mt-2 flex flex-col gap-3">{others.map(show)}</div>
        </details>
      )}
    </section>
  );
}

function Sides({ dispute, insight, onUse }: { dispute: Dispute; insight: Insight; onUse?: (text: string) => void }) {
  const difference = useWords(dispute.difference);
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
  const say = useWords(words);
  return (
    <div className="flex flex-col rounded-lg border border-line border-t-2 border-t-danger bg-paper p-3">
      <Said>{quote}</Said>
      <div className="mt-auto flex flex-wrap items-end justify-between gap-2 pt-2">
        {source && <Who source={source} />}
        {onUse && (
          <Button look="quiet" className="-mr-2 -mb-1.5 ml-auto text-accent" onClick={() => onUse(quote)}>
            {say.useWords}
          </Button>
        )}
      </div>
    </div>
  );
}

/** Who said it, where, how sure, and when. */
export function Who({ source }: { source: InsightSource }) {
  const say = useWords(words);
  const { score, time, full } = useFormat();
  return (
    <p className="figures text-[13px] text-muted">
      <span className="font-medium text-ink">{source.agent_id ?? say.unnamed}</span>
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
export function NearestMemory({
  insight,
  linkTo,
}: {
  insight: Insight;
  linkTo?: (kind: 'entry' | 'memory', id: string) => string;
}) {
  const say = useWords(words);
  const language = useLanguage();
  const { percent } = useFormat();
  const { nearest } = insight;
  if (!nearest) return null;
  return (
    <section>
      <Title>
        {say.nearest}
        <VerifiedBadge />
        <span className="figures text-[13px] font-normal text-muted">{say.alike(percent(nearest.similarity))}</span>
      </Title>
      <div className="rounded-lg border border-line bg-paper p-3">
        <Diff runs={nearest.diff} />
        {nearest.conflict && (
          <p className="mt-1.5 text-sm text-muted">
            <span className="text-danger first-letter:uppercase">{nearest.conflict[language]}</span> ·{' '}
            {say.conflictHelp}
          </p>
        )}
        {linkTo && (
          <a
            href={linkTo('memory', nearest.memory_id)}
            className="mt-1.5 inline-block text-sm text-accent underline-offset-4 hover:underline"
          >
            {say.openMemory}
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
