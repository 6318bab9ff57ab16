import { Button } from '../components/Button';
import { Icon } from '../components/Icon';
import { digest as messages } from '../messages/digest';
import { useMessages } from '../messages/language';
import { type DecisionState, UNDO_MS } from './decisions';

/** What was decided just now, and the few seconds in which it can be taken back. */
export function UndoBar({ decisions, onUndo }: { decisions: ReadonlyMap<string, DecisionState>; onUndo: () => void }) {
  const t = useMessages(messages);
  const last = [...decisions.values()].filter((one) => one.state === 'pending').at(-1);
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed right-4 bottom-[calc(var(--foot)+5rem)] left-[calc(var(--side)+1rem)] z-40 flex justify-center sm:bottom-[calc(var(--foot)+1.5rem)]"
    >
      {last && (
        <div className="pointer-events-auto relative flex w-full max-w-md items-center gap-3 overflow-hidden rounded-xl bg-ink py-1.5 pr-1.5 pl-4 text-sm text-paper shadow-card">
          <span className="shrink-0 font-medium">{t.states[last.action.kind]}</span>
          <span className="min-w-0 flex-1 truncate opacity-75">
            {(last.action.kind === 'promote' && last.action.text) || last.insight.summary}
          </span>
          <Button look="inverse" hotkey="u" onClick={() => onUndo()}>
            <Icon name="undo" className="size-4" />
            {t.undo}
          </Button>
          <span
            key={`${last.insight.id} ${last.since}`}
            className="running-out absolute inset-x-0 bottom-0 h-0.5 origin-left bg-paper/60"
            style={{ animationDuration: `${UNDO_MS}ms` }}
          />
        </div>
      )}
    </div>
  );
}
