import type { Insight } from '../api/types';
import { Button } from '../components/Button';
import { Icon } from '../components/Icon';
import { useErrorMessage } from '../components/States';
import { digest as messages } from '../messages/digest';
import { langOf, useMessages } from '../messages/language';
import { isUndoable } from './decisions';
import { useReview } from './review';
import { markOf } from './tally';

const LOOKS = {
  promoted: ['promote', 'text-verified', 'check'],
  dismissed: ['dismiss', 'text-muted', 'close'],
  later: ['later', 'text-temporary', 'later'],
} as const;

/** What was decided, in a line; it can be taken back for a moment. */
export function DecidedCard({ insight }: { insight: Insight }) {
  const { decisions, undo } = useReview();
  const decision = decisions.get(insight.id);
  const t = useMessages(messages);
  const problem = useErrorMessage(decision?.state === 'failed' ? decision.error : null);
  const mark = markOf(insight, decision);
  if (mark === 'open') return null;
  const [word, colour, icon] = LOOKS[mark];
  const text = decision?.action.kind === 'promote' ? decision.action.text : undefined;
  const by = insight.decision && decision?.state !== 'done' ? insight.decision.by : null;
  const shown = text ?? insight.summary;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 sm:px-6">
      <Icon name={icon} className={`size-4 ${colour}`} />
      <span className={`shrink-0 text-sm font-medium ${colour}`}>{t.states[word]}</span>
      <span
        lang={langOf(shown)}
        className={`min-w-0 flex-1 truncate text-muted ${mark === 'dismissed' ? 'line-through decoration-strong' : ''}`}
      >
        {shown}
      </span>
      {by && <span className="hidden max-w-40 truncate text-[13px] text-faint sm:inline">{by}</span>}
      {decision?.state === 'failed' && <p className="w-full text-sm text-danger">{t.failed(problem)}</p>}
      {decision && isUndoable(decision) && (
        <Button look="quiet" className="-my-1.5 -mr-2" onClick={() => undo(insight.id)}>
          <Icon name="undo" className="size-4" />
          {t.undo}
        </Button>
      )}
    </div>
  );
}
