import { useCallback, useMemo } from 'react';
import type { Receipt } from '../api/types';
import { Button } from '../parts/Button';
import { focusPage } from '../parts/Decide';
import { Dialog } from '../parts/Dialog';
import { useRowKeys } from '../parts/hotkeys';
import { useOpen } from '../parts/open';
import { PageHead } from '../parts/PageHead';
import { EmptyState, ErrorState, Skeleton } from '../parts/States';
import { VirtualList } from '../parts/VirtualList';
import { useStats } from '../shell/Navigation';
import { useFormat, useWords } from '../words/language';
import { quarantine } from '../words/quarantine';
import { useEntries } from './quarantine/entries';
import { FilterBar } from './quarantine/FilterBar';
import { queryOf, useFilters } from './quarantine/filters';
import { Row } from './quarantine/Row';
import { Sheet } from './quarantine/Sheet';

/** Everything that was said, and why it got in or not. */
export default function Quarantine() {
  const say = useWords(quarantine);
  const state = useFilters();
  const query = useMemo(() => queryOf(state.filters), [state.filters]);
  const list = useEntries(query);
  const { id, close } = useOpen('/quarantine');
  const leave = () => {
    close();
    // The row that had the focus is gone with its entry.
    focusPage();
  };
  useRowKeys();
  const isFiltered = state.active > 0 || state.filters.search !== '';
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <FilterBar state={state} entries={list.entries} />
      <Found count={list.entries.length} isFiltered={isFiltered} hasMore={list.hasNextPage} />
      {list.error && <ErrorState error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Skeleton rows={6} className="h-16" />}
      {list.data && list.entries.length === 0 && (
        <EmptyState
          icon="quarantine"
          title={isFiltered ? say.noMatch : say.none}
          help={isFiltered ? say.noMatchHelp : say.noneHelp}
        >
          {isFiltered && <Button onClick={state.clear}>{say.clear}</Button>}
        </EmptyState>
      )}
      {list.entries.length > 0 && <List {...list} here={id} />}
      <Dialog sheet title={say.entry} open={id !== undefined} onClose={close}>
        {id && <Sheet id={id} onGone={leave} />}
      </Dialog>
    </>
  );
}

function Found({ count, isFiltered, hasMore }: { count: number; isFiltered: boolean; hasMore: boolean }) {
  const say = useWords(quarantine);
  const { number } = useFormat();
  const { data } = useStats();
  const text = !isFiltered
    ? data && say.total(number(data.recorded))
    : hasMore
      ? say.foundMore(number(count))
      : say.found(number(count));
  return (
    <p role="status" className="figures mb-2 min-h-5 text-[13px] text-muted">
      {text}
    </p>
  );
}

type Line = { day: string; first: string } | { receipt: Receipt };

interface ListProps {
  entries: Receipt[];
  here: string | undefined;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

function List({ entries, here, hasNextPage, isFetchingNextPage, fetchNextPage }: ListProps) {
  const say = useWords(quarantine);
  const lines = useMemo(() => byDay(entries), [entries]);
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return (
    <div className="overflow-hidden rounded-xl border border-line bg-surface">
      <VirtualList
        items={lines}
        height={72}
        label={say.list}
        keyOf={(line) => ('day' in line ? `before ${line.first}` : line.receipt.entry.id)}
        onEnd={more}
        row={(line) =>
          'day' in line ? <Day when={line.day} /> : <Row receipt={line.receipt} here={line.receipt.entry.id === here} />
        }
      />
    </div>
  );
}

const days = new WeakMap<Receipt, string>();

/** The reader's own day; told once for each entry, since there may be thousands. */
function dayOf(receipt: Receipt): string {
  const known = days.get(receipt) ?? new Date(receipt.entry.created_at).toDateString();
  days.set(receipt, known);
  return known;
}

function byDay(entries: Receipt[]): Line[] {
  let last = '';
  return entries.flatMap((receipt): Line[] => {
    const day = dayOf(receipt);
    const isNew = day !== last;
    last = day;
    return isNew ? [{ day, first: receipt.entry.id }, { receipt }] : [{ receipt }];
  });
}

const DAY = 86_400_000;

function Day({ when }: { when: string }) {
  const say = useWords(quarantine);
  const { date } = useFormat();
  const near = { [new Date().toDateString()]: say.today, [new Date(Date.now() - DAY).toDateString()]: say.yesterday };
  return (
    <p className="border-b border-line bg-sunken px-3 py-1.5 text-xs font-medium text-muted sm:px-4">
      {near[when] ? `${near[when]} · ${date(when)}` : date(when)}
    </p>
  );
}
