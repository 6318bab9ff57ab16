import type { Insight } from '../api/types';
import { Badge } from '../parts/Badge';
import { Button } from '../parts/Button';
import { Icon } from '../parts/Icon';
import { Said } from '../parts/Said';
import { useTold } from '../parts/States';
import { digest as words } from '../words/digest';
import { useFormat, useLanguage, useWords } from '../words/language';
import { DecidedCard } from './DecidedCard';
import { DismissForm } from './DismissForm';
import type { Standing } from './decisions';
import { EditForm } from './EditForm';
import { Disputes, NearestMemory } from './Evidence';
import { useHeading } from './level';
import { Sources } from './Sources';
import { Verdict } from './Verdict';

/** How much of a card is shown, and what is being done with it. */
export type Mode = 'closed' | 'read' | 'edit' | 'dismiss';

export interface InsightCardProps {
  insight: Insight;
  standing: Standing | undefined;
  mode: Mode;
  /** Whether all its sources are shown. */
  wide: boolean;
  /** What an edit begins with, in place of the summary. */
  draft: string | undefined;
  readOnly: boolean;
  linkTo?: (kind: 'entry' | 'memory', id: string) => string;
  onMode: (mode: Exclude<Mode, 'closed'>, draft?: string) => void;
  onWide: () => void;
  onPromote: (text?: string) => void;
  onDismiss: (reason: string) => void;
  onLater: () => void;
  onUndo: () => void;
}

/** One insight: a line or two while others are read, all its evidence when it is its turn. */
export function InsightCard(props: InsightCardProps) {
  const { insight, standing, mode, onMode } = props;
  const isDecided = insight.decision !== null || (standing !== undefined && standing.state !== 'failed');
  const isCurrent = mode !== 'closed';
  const look = isCurrent
    ? 'border-accent/60 bg-surface shadow-card'
    : 'border-line bg-surface/70 hover:border-strong hover:bg-surface';
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: j and k do the same, and so do its buttons.
    <article
      tabIndex={-1}
      data-insight={insight.id}
      aria-current={isCurrent ? 'true' : undefined}
      onClick={isCurrent ? undefined : () => onMode('read')}
      className={`relative scroll-mt-20 scroll-mb-24 overflow-clip rounded-xl border outline-none transition-[border-color,background-color,box-shadow] ${look} ${isCurrent ? '' : 'cursor-pointer'}`}
    >
      {isCurrent && <span className="absolute inset-y-0 left-0 w-1 bg-accent" />}
      {isDecided ? <DecidedCard {...props} /> : <OpenCard {...props} />}
    </article>
  );
}

function OpenCard(props: InsightCardProps) {
  const { insight, standing, mode, readOnly, onMode } = props;
  const heading = useHeading(1);
  const isEdited = mode === 'edit';
  const isCurrent = mode !== 'closed';
  return (
    <div className={`flex flex-col px-4 sm:px-6 ${isCurrent ? 'py-4 sm:py-5' : 'py-3.5'}`}>
      {standing?.state === 'failed' && <Failed error={standing.error} />}
      <Said
        as={heading}
        className={isEdited ? 'sr-only' : isCurrent ? 'text-[1.125rem] font-medium sm:text-[1.1875rem]' : 'text-base'}
      >
        {insight.summary}
      </Said>
      {isEdited && (
        <EditForm insight={insight} start={props.draft} onPromote={props.onPromote} onCancel={() => onMode('read')} />
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
            onClick={stopping(() => props.onPromote())}
          >
            <PromoteWord />
          </Button>
        )}
      </div>
      {isCurrent && !isEdited && !readOnly && <Actions {...props} />}
      {isCurrent && <Body {...props} />}
    </div>
  );
}

/** Keep a click on a button from being one on the card as well. */
function stopping(deed: () => void) {
  return (event: { stopPropagation: () => void }) => {
    event.stopPropagation();
    deed();
  };
}

function PromoteWord() {
  return useWords(words).promote;
}

function Body({ insight, mode, wide, linkTo, onMode, onWide }: InsightCardProps) {
  const language = useLanguage();
  return (
    <div className="mt-5 flex flex-col gap-5 border-t border-line pt-4">
      <p className="text-sm text-pretty text-muted">
        {insight.refinement.reason[language]}
        {insight.note && <span className="block">{insight.note[language]}</span>}
      </p>
      <Disputes insight={insight} {...(mode === 'read' && { onUse: (text: string) => onMode('edit', text) })} />
      <NearestMemory insight={insight} {...(linkTo && { linkTo })} />
      <Sources insight={insight} wide={wide} onWide={onWide} {...(linkTo && { linkTo })} />
    </div>
  );
}

function Flags({ insight }: { insight: Insight }) {
  const say = useWords(words);
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <Verdict refinement={insight.refinement} />
      {insight.disputed && <Badge tone="danger">⚠ {say.disputed}</Badge>}
      {insight.nearest?.conflict && <Badge tone="danger">⚠ {say.contradicts}</Badge>}
    </div>
  );
}

function Facts({ insight }: { insight: Insight }) {
  const say = useWords(words);
  const { score, days } = useFormat();
  const facts = [
    say.sessions(insight.sessions),
    say.agents(insight.agents),
    insight.lowest_confidence === null ? say.noConfidence : say.confidence(score(insight.lowest_confidence)),
    days(insight.first_seen, insight.last_seen),
    insight.summarised_by === 'extract' ? null : say.worded(insight.summarised_by),
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
  const say = useWords(words);
  const told = useTold(error);
  return (
    <p role="alert" className="mt-2 flex items-start gap-2 rounded-lg bg-danger-soft px-3 py-2 text-sm text-danger">
      <Icon name="alert" className="mt-0.5 size-4" />
      {say.failed(told)}
    </p>
  );
}

/** On a phone they come after what is to be read, and stay above the thumb. */
const IN_REACH =
  'max-sm:sticky max-sm:bottom-(--foot) max-sm:order-last max-sm:-mx-4 max-sm:-mb-4 max-sm:border-t max-sm:border-line max-sm:bg-surface max-sm:px-4 max-sm:py-3';

function Actions({ insight, mode, onMode, onPromote, onDismiss, onLater }: InsightCardProps) {
  const say = useWords(words);
  if (mode === 'dismiss') return <DismissForm key={insight.id} onDismiss={onDismiss} onCancel={() => onMode('read')} />;
  return (
    <div className={`mt-4 flex flex-wrap gap-2 ${IN_REACH}`}>
      <Button look="primary" hotkey="p" onClick={() => onPromote()} className="flex-1 sm:flex-none">
        {say.promote}
      </Button>
      <Button hotkey="e" onClick={() => onMode('edit')}>
        {say.edit}
      </Button>
      <Button hotkey="d" onClick={() => onMode('dismiss')}>
        {say.dismiss}
      </Button>
      <Button look="quiet" hotkey="l" onClick={onLater}>
        {say.later}
      </Button>
    </div>
  );
}
