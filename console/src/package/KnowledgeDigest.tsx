import { useEffect, useRef, useState } from 'react';
import type { Insight } from '../api/types';
import { Button } from '../parts/Button';
import { useHotkeys } from '../parts/hotkeys';
import { EmptyState, ErrorState, Skeleton } from '../parts/States';
import { digest as words } from '../words/digest';
import { useFormat, useWords } from '../words/language';
import { DigestHead, Progress } from './DigestHead';
import { InsightCard, type Mode } from './InsightCard';
import { LevelContext } from './level';
import { tally } from './tally';
import { UndoBar } from './UndoBar';
import { type DigestState, type Sitting, useDigest } from './useDigest';
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
  const say = useWords(words);
  return (
    <EmptyState icon="digest" heading={`h${level}`} title={say.none} help={say.noneHelp}>
      {!readOnly && (
        <Button look="primary" disabled={state.isMaking} onClick={() => state.make()}>
          {state.isMaking ? `${say.making}…` : say.make}
        </Button>
      )}
      {state.makeError && <ErrorState error={state.makeError} />}
    </EmptyState>
  );
}

interface DecidingProps extends KnowledgeDigestProps {
  state: DigestState;
  data: Sitting;
}

function Deciding({ state, data, readOnly = false, linkTo, askAt, hotkeys = true }: DecidingProps) {
  const say = useWords(words);
  const { number } = useFormat();
  const promoting = usePromote();
  const { standing } = promoting;
  const { insights } = data;
  const isOpen = (one: Insight) => !one.decision && (standing.get(one.id)?.state ?? 'failed') === 'failed';
  const [chosen, setChosen] = useState<string | null>(null);
  const [mode, setMode] = useState<Mode>('read');
  const [draft, setDraft] = useState<string>();
  const [wide, setWide] = useState(false);
  const list = useRef<HTMLOListElement>(null);
  const moved = useRef(false);
  const current = insights.find((one) => one.id === chosen) ?? insights.find(isOpen) ?? null;
  const count = tally(data, standing);

  const go = (to: Insight | null | undefined, next: Mode = 'read', begin?: string) => {
    moved.current = true;
    setMode(next);
    setDraft(begin);
    setWide(false);
    setChosen(to?.id ?? null);
  };
  const step = (by: number) => {
    const at = insights.findIndex((one) => one.id === current?.id);
    go(insights[Math.min(Math.max(at + by, 0), insights.length - 1)]);
  };
  /** The next that is open, below first, so that one reads downwards. */
  const next = (after: Insight) => {
    const at = insights.indexOf(after);
    return [...insights.slice(at + 1), ...insights.slice(0, at)].find(isOpen) ?? after;
  };
  const decide = (deed: (insight: Insight) => void) => (insight: Insight) => {
    deed(insight);
    go(next(insight));
  };
  const undo = (id?: string) => {
    const back = promoting.undo(id);
    if (back) go(back);
  };
  const onCurrent = (deed: (insight: Insight) => void) => () => {
    if (current && !readOnly && isOpen(current)) deed(current);
  };

  useHotkeys(
    {
      j: () => step(1),
      k: () => step(-1),
      p: onCurrent(decide((one) => promoting.promote(one))),
      e: onCurrent((one) => go(one, 'edit')),
      d: onCurrent((one) => go(one, 'dismiss')),
      l: onCurrent(decide((one) => promoting.later(one))),
      u: () => undo(),
      o: () => setWide((now) => !now),
    },
    hotkeys,
  );

  // The card that is current has the focus, and is in view, whatever was decided just now.
  const currentId = current?.id;
  useEffect(() => {
    if (!moved.current || !currentId || mode !== 'read') return;
    const card = list.current?.querySelector<HTMLElement>(`[data-insight="${CSS.escape(currentId)}"]`);
    card?.focus({ preventScroll: true });
    const isTall = (card?.offsetHeight ?? 0) > window.innerHeight * 0.7;
    card?.scrollIntoView({ block: isTall ? 'start' : 'nearest', behavior: 'smooth' });
  }, [currentId, mode]);

  return (
    <section aria-label={say.list}>
      <DigestHead state={state} data={data} readOnly={readOnly} />
      {insights.length > 0 && <Progress data={data} count={count} />}
      {insights.length === 0 && (
        <EmptyState icon="check" title={say.nothing} help={say.nothingHelp(number(data.digest?.entries ?? 0))} />
      )}
      <ol ref={list} className="flex flex-col gap-2.5">
        {insights.map((insight) => (
          <li key={insight.id}>
            <InsightCard
              insight={insight}
              standing={standing.get(insight.id)}
              mode={insight.id === currentId ? mode : 'closed'}
              wide={wide}
              readOnly={readOnly}
              {...(linkTo && { linkTo })}
              draft={draft}
              onMode={(to, begin) => go(insight, to, begin)}
              onWide={() => setWide((now) => !now)}
              onPromote={(text) => decide((one) => promoting.promote(one, text))(insight)}
              onDismiss={(reason) => decide((one) => promoting.dismiss(one, reason))(insight)}
              onLater={() => decide(promoting.later)(insight)}
              onUndo={() => undo(insight.id)}
            />
          </li>
        ))}
      </ol>
      {count.behind > 0 && <p className="mt-4 text-center text-sm text-faint">{say.moreWait(number(count.behind))}</p>}
      {insights.length > 0 && count.open === 0 && <Done count={count} {...(askAt && { askAt })} />}
      <UndoBar standing={standing} onUndo={undo} />
    </section>
  );
}

function Done({ count, askAt }: { count: ReturnType<typeof tally>; askAt?: string }) {
  const say = useWords(words);
  const { number } = useFormat();
  return (
    <EmptyState
      icon="check"
      title={say.done}
      help={
        <>
          {say.doneHelp(number(count.promoted), number(count.dismissed))}
          {count.later > 0 && ` ${say.doneLater(number(count.later))}`}
        </>
      }
    >
      {askAt && (
        <a href={askAt} className="text-accent underline underline-offset-4">
          {say.doneAsk}
        </a>
      )}
    </EmptyState>
  );
}
