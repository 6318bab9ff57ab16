import { Button } from '../parts/Button';
import { Icon } from '../parts/Icon';
import { useTold } from '../parts/States';
import { digest as words } from '../words/digest';
import { langOf, useWords } from '../words/language';
import { isOpen } from './decisions';
import type { InsightCardProps } from './InsightCard';
import { markOf } from './tally';

const LOOKS = {
  promoted: ['promote', 'text-verified', 'check'],
  dismissed: ['dismiss', 'text-muted', 'close'],
  later: ['later', 'text-temporary', 'later'],
} as const;

/** What was decided, in a line; it can be taken back for a moment. */
export function DecidedCard({ insight, standing, onUndo }: InsightCardProps) {
  const say = useWords(words);
  const told = useTold(standing?.state === 'failed' ? standing.error : null);
  const mark = markOf(insight, standing);
  if (mark === 'open') return null;
  const [word, colour, icon] = LOOKS[mark];
  const text = standing?.deed.kind === 'promote' ? standing.deed.text : undefined;
  const by = insight.decision && standing?.state !== 'done' ? insight.decision.by : null;
  const shown = text ?? insight.summary;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 sm:px-6">
      <Icon name={icon} className={`size-4 ${colour}`} />
      <span className={`shrink-0 text-sm font-medium ${colour}`}>{say.states[word]}</span>
      <span
        lang={langOf(shown)}
        className={`min-w-0 flex-1 truncate text-muted ${mark === 'dismissed' ? 'line-through decoration-strong' : ''}`}
      >
        {shown}
      </span>
      {by && <span className="hidden max-w-40 truncate text-[13px] text-faint sm:inline">{by}</span>}
      {standing?.state === 'failed' && <p className="w-full text-sm text-danger">{say.failed(told)}</p>}
      {standing && isOpen(standing) && (
        <Button look="quiet" className="-my-1.5 -mr-2" onClick={onUndo}>
          <Icon name="undo" className="size-4" />
          {say.undo}
        </Button>
      )}
    </div>
  );
}
