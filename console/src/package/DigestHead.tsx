import type { Digest, ExclusionReason } from '../api/types';
import { Button } from '../components/Button';
import { Icon } from '../components/Icon';
import { useErrorMessage } from '../components/States';
import { digest as messages } from '../messages/digest';
import { useFormat, useMessages } from '../messages/language';
import { useHeading } from './level';
import type { ReviewSession } from './reviewSession';
import type { Mark, Tally } from './tally';
import type { DigestState } from './useDigest';

export interface DigestHeadProps {
  state: DigestState;
  data: ReviewSession;
  readOnly: boolean;
}

/** What was read, how far one has come, and what waits. */
export function DigestHead({ state, data, readOnly }: DigestHeadProps) {
  const t = useMessages(messages);
  const { digest } = data;
  const Heading = useHeading(0);
  const problem = useErrorMessage(state.makeError);
  if (!digest) return null;
  return (
    <header className="mb-4">
      <div className="flex items-start justify-between gap-x-4">
        <Heading className="text-[1.375rem] leading-tight font-semibold tracking-tight lg:text-2xl">{t.title}</Heading>
        {!readOnly && (
          <Button look="quiet" className="-my-1 -mr-3" disabled={state.isMaking} onClick={() => state.make()}>
            <Icon name="refresh" className={`size-4 ${state.isMaking ? 'animate-spin' : ''}`} />
            <span className="max-sm:sr-only">{state.isMaking ? `${t.making}…` : t.make}</span>
          </Button>
        )}
      </div>
      <Summary digest={digest} />
      {problem && (
        <p role="alert" className="mt-2 problem">
          {problem}
        </p>
      )}
      {readOnly && <p className="mt-2 text-sm text-muted">{t.readOnly}</p>}
    </header>
  );
}

function oldestOf({ insights }: ReviewSession): string | null {
  return (
    insights
      .filter((one) => !one.decision)
      .map((one) => one.made_at)
      .sort()[0] ?? null
  );
}

function Summary({ digest }: { digest: Digest }) {
  const t = useMessages(messages);
  const { days, number, ago, full } = useFormat();
  const asides = Object.entries(digest.set_aside) as [ExclusionReason, number][];
  const total = asides.reduce((sum, [, count]) => sum + count, 0);
  return (
    <div className="mt-1.5 text-sm text-muted">
      <span>{t.read(days(digest.since, digest.made_at), number(digest.entries))}</span>
      <span title={full(digest.made_at)}> · {t.madeAgo(ago(digest.made_at))}</span>
      {total > 0 && (
        <details className="inline open:block [&:not([open])]:before:content-['_·_']">
          <summary className="inline rounded underline decoration-strong decoration-dotted underline-offset-4 hover:text-ink">
            {t.asideTitle(number(total))}
          </summary>
          <div className="mt-2 rounded-lg bg-sunken px-3.5 py-2.5">
            <p>{t.asideHelp}</p>
            <ul className="mt-1.5 grid gap-x-6 sm:grid-cols-2">
              {asides.map(([why, count]) => (
                <li key={why} className="flex gap-2">
                  <span className="figures min-w-6 text-right font-medium text-ink">{number(count)}</span>
                  {t.asides[why]}
                </li>
              ))}
            </ul>
          </div>
        </details>
      )}
    </div>
  );
}

const COLOURS: Record<Mark, string> = {
  open: 'bg-line',
  promoted: 'bg-verified',
  dismissed: 'bg-strong',
  later: 'bg-temporary-line',
};

/** How far one has come: it stays in view while one reads on. */
export function Progress({ data, count }: { data: ReviewSession; count: Tally }) {
  const oldest = oldestOf(data);
  const t = useMessages(messages);
  const { number, span } = useFormat();
  const progress = t.decided(number(count.decided), number(count.all));
  return (
    <div className="sticky top-0 z-20 -mx-1 mb-1 bg-paper px-1 pt-3 pb-2.5">
      <div className="flex gap-1" aria-hidden="true">
        {count.marks.map((mark, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a segment is its place.
          <span key={index} className={`h-1.5 flex-1 rounded-full transition-colors duration-300 ${COLOURS[mark]}`} />
        ))}
      </div>
      <p className="mt-2 flex flex-wrap gap-x-1.5 text-sm text-muted">
        <span role="status" className="figures font-medium text-ink">
          {progress}
        </span>
        {oldest && count.open > 0 && <span>· {t.oldest(span(Date.now() - Date.parse(oldest)))}</span>}
      </p>
    </div>
  );
}
