import { useEffect, useReducer, useRef } from 'react';
import type { Insight } from '../api/types';
import { Button } from '../components/Button';
import { EmptyState, ErrorState, Skeleton } from '../components/States';
import { useHotkeys } from '../hooks/hotkeys';
import { digest as messages } from '../messages/digest';
import { useFormat, useMessages } from '../messages/language';
import { DigestHead, Progress } from './DigestHead';
import { type Action, isOpen } from './decisions';
import { InsightCard } from './InsightCard';
import { LevelContext } from './level';
import { FIRST_VIEW, type Mode, neighbour, nextOpen, ReviewContext, type View, viewReducer } from './review';
import type { ReviewSession } from './reviewSession';
import { tally } from './tally';
import { UndoBar } from './UndoBar';
import { type DigestState, useDigest } from './useDigest';
import { usePromote } from './usePromote';

export interface KnowledgeDigestProps {
  /** Only show; nobody may decide here. */
  readOnly?: boolean;
  /** Where an entry or a memory can be read; without it nothing is linked. */
  linkTo?: (kind: 'entry' | 'memory', id: string) => string;
  /** Where to see what agents are told now, shown when all is decided. */
  askAt?: string;
  /** The heading's level in the page around it. */
  level?: 1 | 2;
  /** Whether the keys j k p e d l u o are listened for. */
  hotkeys?: boolean;
}

/** 📚 The week's insights, to be decided on one after the other. */
export function KnowledgeDigest(props: KnowledgeDigestProps) {
  const state = useDigest();
  const { data, error, isLoading, refresh } = state;
  if (isLoading) return <Skeleton rows={4} />;
  if (error && !data) return <ErrorState error={error} retry={refresh} />;
  if (!data?.digest) return <NoDigest state={state} readOnly={props.readOnly ?? false} level={props.level ?? 1} />;
  return (
    <LevelContext value={props.level ?? 1}>
      <Deciding {...props} state={state} data={data} />
    </LevelContext>
  );
}

function NoDigest({ state, readOnly, level }: { state: DigestState; readOnly: boolean; level: 1 | 2 }) {
  const t = useMessages(messages);
  return (
    <EmptyState icon="digest" heading={`h${level}`} title={t.none} help={t.noneHelp}>
      {!readOnly && (
        <Button look="primary" disabled={state.isMaking} onClick={() => state.make()}>
          {state.isMaking ? `${t.making}…` : t.make}
        </Button>
      )}
      {state.makeError && <ErrorState error={state.makeError} />}
    </EmptyState>
  );
}

interface DecidingProps extends KnowledgeDigestProps {
  state: DigestState;
  data: ReviewSession;
}

function Deciding({ state, data, readOnly = false, linkTo, askAt, hotkeys = true }: DecidingProps) {
  const t = useMessages(messages);
  const { number } = useFormat();
  const { decisions, ...promoting } = usePromote();
  const [view, dispatch] = useReducer(viewReducer, FIRST_VIEW);
  const { insights } = data;
  const isWaiting = (one: Insight) => isOpen(one, decisions.get(one.id));
  const current = insights.find((one) => one.id === view.chosen) ?? insights.find(isWaiting) ?? null;
  const list = useFocusedCard(current?.id, view);
  const count = tally(data, decisions);

  const show = (insight: Insight | null | undefined, mode?: Exclude<Mode, 'closed'>) =>
    dispatch({ type: 'show', id: insight?.id ?? null, ...(mode && { mode }) });
  const decide = (insight: Insight, action: Action) => {
    if (action.kind === 'promote') promoting.promote(insight, action.text);
    else if (action.kind === 'dismiss') promoting.dismiss(insight, action.reason);
    else promoting.later(insight);
    show(nextOpen(insights, insight, isWaiting));
  };
  const undo = (id?: string) => {
    const back = promoting.undo(id);
    if (back) show(back);
  };
  const onCurrent = (action: (insight: Insight) => void) => () => {
    if (current && !readOnly && isWaiting(current)) action(current);
  };

  useHotkeys(
    {
      j: () => show(neighbour(insights, current, 1)),
      k: () => show(neighbour(insights, current, -1)),
      p: onCurrent((one) => decide(one, { kind: 'promote' })),
      e: onCurrent((one) => show(one, 'edit')),
      d: onCurrent((one) => show(one, 'dismiss')),
      l: onCurrent((one) => decide(one, { kind: 'later' })),
      u: () => undo(),
      o: () => dispatch({ type: 'toggleSources' }),
    },
    hotkeys,
  );

  return (
    <ReviewContext value={{ view, decisions, readOnly, linkTo, dispatch, decide, undo }}>
      <section aria-label={t.list}>
        <DigestHead state={state} data={data} readOnly={readOnly} />
        {insights.length > 0 && <Progress data={data} count={count} />}
        {insights.length === 0 && (
          <EmptyState icon="check" title={t.nothing} help={t.nothingHelp(number(data.digest?.entries ?? 0))} />
        )}
        <ol ref={list} className="flex flex-col gap-2.5">
          {insights.map((insight) => (
            <li key={insight.id}>
              <InsightCard insight={insight} mode={insight.id === current?.id ? view.mode : 'closed'} />
            </li>
          ))}
        </ol>
        {count.behind > 0 && <p className="mt-4 text-center text-sm text-faint">{t.moreWait(number(count.behind))}</p>}
        {insights.length > 0 && count.open === 0 && <Done count={count} {...(askAt && { askAt })} />}
        <UndoBar decisions={decisions} onUndo={undo} />
      </section>
    </ReviewContext>
  );
}

/** Keep the focus on the card that is current, and the card in view, whatever was decided just now. */
function useFocusedCard(id: string | undefined, { hasMoved, mode }: View) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (!hasMoved || !id || mode !== 'read') return;
    const card = list.current?.querySelector<HTMLElement>(`[data-insight="${CSS.escape(id)}"]`);
    card?.focus({ preventScroll: true });
    const isTall = (card?.offsetHeight ?? 0) > window.innerHeight * 0.7;
    card?.scrollIntoView({ block: isTall ? 'start' : 'nearest', behavior: 'smooth' });
  }, [id, hasMoved, mode]);
  return list;
}

function Done({ count, askAt }: { count: ReturnType<typeof tally>; askAt?: string }) {
  const t = useMessages(messages);
  const { number } = useFormat();
  return (
    <EmptyState
      icon="check"
      title={t.done}
      help={
        <>
          {t.doneHelp(number(count.promoted), number(count.dismissed))}
          {count.later > 0 && ` ${t.doneLater(number(count.later))}`}
        </>
      }
    >
      {askAt && (
        <a href={askAt} className="link-underlined">
          {t.doneAsk}
        </a>
      )}
    </EmptyState>
  );
}
