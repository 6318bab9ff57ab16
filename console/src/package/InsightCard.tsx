import type { Insight } from '../api/types';
import { Badge } from '../components/Badge';
import { Button } from '../components/Button';
import { Icon } from '../components/Icon';
import { QuotedText } from '../components/QuotedText';
import { useErrorMessage } from '../components/States';
import { digest as messages } from '../messages/digest';
import { useFormat, useLanguage, useMessages } from '../messages/language';
import { DecidedCard } from './DecidedCard';
import { DismissForm } from './DismissForm';
import { isOpen } from './decisions';
import { EditForm } from './EditForm';
import { Disputes, NearestMemory } from './Evidence';
import { useHeading } from './level';
import { type Mode, useReview } from './review';
import { Sources } from './Sources';
import { Verdict } from './Verdict';

export interface InsightCardProps {
  insight: Insight;
  mode: Mode;
}

/** One insight: a line or two while others are read, all its evidence when it is its turn. */
export function InsightCard({ insight, mode }: InsightCardProps) {
  const { decisions, dispatch } = useReview();
  const isCurrent = mode !== 'closed';
  const look = isCurrent
    ? 'border-accent/60 bg-surface shadow-card'
    : 'cursor-pointer border-line bg-surface/70 hover:border-strong hover:bg-surface';
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: j and k do the same, and so do its buttons.
    <article
      tabIndex={-1}
      data-insight={insight.id}
      aria-current={isCurrent ? 'true' : undefined}
      onClick={isCurrent ? undefined : () => dispatch({ type: 'show', id: insight.id })}
      className={`relative scroll-mt-20 scroll-mb-24 overflow-clip rounded-xl border outline-none transition-[border-color,background-color,box-shadow] ${look}`}
    >
      {isCurrent && <span className="absolute inset-y-0 left-0 w-1 bg-accent" />}
      {isOpen(insight, decisions.get(insight.id)) ? (
        <OpenCard insight={insight} mode={mode} />
      ) : (
        <DecidedCard insight={insight} />
      )}
    </article>
  );
}

function OpenCard({ insight, mode }: InsightCardProps) {
  const { view, decisions, readOnly, dispatch, decide } = useReview();
  const t = useMessages(messages);
  const heading = useHeading(1);
  const decision = decisions.get(insight.id);
  const isEdited = mode === 'edit';
  const isCurrent = mode !== 'closed';
  return (
    <div className={`flex flex-col px-4 sm:px-6 ${isCurrent ? 'py-4 sm:py-5' : 'py-3.5'}`}>
      {decision?.state === 'failed' && <Failed error={decision.error} />}
      <QuotedText
        as={heading}
        className={isEdited ? 'sr-only' : isCurrent ? 'text-[1.125rem] font-medium sm:text-[1.1875rem]' : 'text-base'}
      >
        {insight.summary}
      </QuotedText>
      {isEdited && (
        <EditForm
          insight={insight}
          start={view.draft}
          onPromote={(text) => decide(insight, { kind: 'promote', ...(text !== undefined && { text }) })}
          onCancel={() => dispatch({ type: 'show', id: insight.id })}
        />
      )}
      <div className="mt-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1.5">
          <Flags insight={insight} />
          <Facts insight={insight} />
        </div>
        {!isCurrent && !readOnly && (
          <Button
            look="quiet"
            className="-my-1.5 -mr-3 ml-auto max-sm:hidden"
            onClick={(event) => {
              // It is no click on the card as well.
              event.stopPropagation();
              decide(insight, { kind: 'promote' });
            }}
          >
            {t.promote}
          </Button>
        )}
      </div>
      {isCurrent && !isEdited && !readOnly && <Actions insight={insight} mode={mode} />}
      {isCurrent && <Body insight={insight} mode={mode} />}
    </div>
  );
}

function Body({ insight, mode }: InsightCardProps) {
  const language = useLanguage();
  const { dispatch } = useReview();
  const onUse = (draft: string) => dispatch({ type: 'show', id: insight.id, mode: 'edit', draft });
  return (
    <div className="mt-5 flex flex-col gap-5 border-t border-line pt-4">
      <p className="text-sm text-pretty text-muted">
        {insight.refinement.reason[language]}
        {insight.note && <span className="block">{insight.note[language]}</span>}
      </p>
      <Disputes insight={insight} {...(mode === 'read' && { onUse })} />
      <NearestMemory insight={insight} />
      <Sources insight={insight} />
    </div>
  );
}

function Flags({ insight }: { insight: Insight }) {
  const t = useMessages(messages);
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <Verdict refinement={insight.refinement} />
      {insight.disputed && <Badge tone="danger">⚠ {t.disputed}</Badge>}
      {insight.nearest?.conflict && <Badge tone="danger">⚠ {t.contradicts}</Badge>}
    </div>
  );
}

function Facts({ insight }: { insight: Insight }) {
  const t = useMessages(messages);
  const { score, days } = useFormat();
  const facts = [
    t.sessions(insight.sessions),
    t.agents(insight.agents),
    insight.lowest_confidence === null ? t.noConfidence : t.confidence(score(insight.lowest_confidence)),
    days(insight.first_seen, insight.last_seen),
    insight.summarised_by === 'extract' ? null : t.worded(insight.summarised_by),
  ];
  return (
    <p className="figures text-[13px] text-muted">
      {facts
        .filter((fact) => fact !== null)
        .map((fact, index) => (
          <span key={fact}>
            {index > 0 && ' · '}
            <span className="whitespace-nowrap">{fact}</span>
          </span>
        ))}
    </p>
  );
}

function Failed({ error }: { error: Error }) {
  const t = useMessages(messages);
  const problem = useErrorMessage(error);
  return (
    <p role="alert" className="mt-2 flex items-start gap-2 rounded-lg bg-danger-soft px-3 py-2 text-sm text-danger">
      <Icon name="alert" className="mt-0.5 size-4" />
      {t.failed(problem)}
    </p>
  );
}

/** On a phone they come after what is to be read, and stay above the thumb. */
const IN_REACH =
  'max-sm:sticky max-sm:bottom-(--foot) max-sm:order-last max-sm:-mx-4 max-sm:-mb-4 max-sm:border-t max-sm:border-line max-sm:bg-surface max-sm:px-4 max-sm:py-3';

function Actions({ insight, mode }: InsightCardProps) {
  const t = useMessages(messages);
  const { dispatch, decide } = useReview();
  const show = (next: Exclude<Mode, 'closed'>) => dispatch({ type: 'show', id: insight.id, mode: next });
  if (mode === 'dismiss') {
    const dismiss = (reason: string) => decide(insight, { kind: 'dismiss', reason });
    return <DismissForm key={insight.id} onDismiss={dismiss} onCancel={() => show('read')} />;
  }
  return (
    <div className={`mt-4 flex flex-wrap gap-2 ${IN_REACH}`}>
      <Button
        look="primary"
        hotkey="p"
        onClick={() => decide(insight, { kind: 'promote' })}
        className="flex-1 sm:flex-none"
      >
        {t.promote}
      </Button>
      <Button hotkey="e" onClick={() => show('edit')}>
        {t.edit}
      </Button>
      <Button hotkey="d" onClick={() => show('dismiss')}>
        {t.dismiss}
      </Button>
      <Button look="quiet" hotkey="l" onClick={() => decide(insight, { kind: 'later' })}>
        {t.later}
      </Button>
    </div>
  );
}
