import { useMemo } from 'react';
import type { Receipt } from '../api/types';
import { Button } from '../components/Button';
import { focusPage } from '../components/ConfirmForm';
import { Dialog } from '../components/Dialog';
import { ListCount, PagedList } from '../components/PagedList';
import { PageHead } from '../components/PageHead';
import { EmptyState, ErrorState, Skeleton } from '../components/States';
import { useRowKeys } from '../hooks/hotkeys';
import { useOpenItem } from '../hooks/openItem';
import { useFormat, useMessages } from '../messages/language';
import { quarantine } from '../messages/quarantine';
import { useStats } from '../shell/Navigation';
import { useEntries } from './quarantine/entries';
import { FilterBar } from './quarantine/FilterBar';
import { queryOf, useFilters } from './quarantine/filters';
import { Row } from './quarantine/Row';
import { Sheet } from './quarantine/Sheet';

/** Everything that was said, and why it got in or not. */
export default function Quarantine() {
  const t = useMessages(quarantine);
  const state = useFilters();
  const query = useMemo(() => queryOf(state.filters), [state.filters]);
  const list = useEntries(query);
  const { id, close } = useOpenItem('/quarantine');
  const leave = () => {
    close();
    // The row that had the focus is gone with its entry.
    focusPage();
  };
  useRowKeys();
  const isFiltered = state.active > 0 || state.filters.search !== '';
  const count = useCount(list, isFiltered);
  const lines = useMemo(() => byDay(list.entries), [list.entries]);
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <FilterBar state={state} entries={list.entries} />
      <ListCount>{count}</ListCount>
      {list.error && <ErrorState error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Skeleton rows={6} className="h-16" />}
      {list.data && list.entries.length === 0 && (
        <EmptyState
          icon="quarantine"
          title={isFiltered ? t.noMatch : t.none}
          help={isFiltered ? t.noMatchHelp : t.noneHelp}
        >
          {isFiltered && <Button onClick={state.clear}>{t.clear}</Button>}
        </EmptyState>
      )}
      {lines.length > 0 && (
        <PagedList
          pages={list}
          items={lines}
          height={72}
          label={t.list}
          keyOf={(line) => ('day' in line ? `before ${line.first}` : line.receipt.entry.id)}
          row={(line) =>
            'day' in line ? <Day when={line.day} /> : <Row receipt={line.receipt} here={line.receipt.entry.id === id} />
          }
        />
      )}
      <Dialog sheet title={t.entry} open={id !== undefined} onClose={close}>
        {id && <Sheet id={id} onGone={leave} />}
      </Dialog>
    </>
  );
}

function useCount({ entries, hasNextPage }: ReturnType<typeof useEntries>, isFiltered: boolean): string | undefined {
  const t = useMessages(quarantine);
  const { number } = useFormat();
  const { data } = useStats();
  if (!isFiltered) return data && t.total(number(data.recorded));
  return hasNextPage ? t.foundMore(number(entries.length)) : t.found(number(entries.length));
}

type Line = { day: string; first: string } | { receipt: Receipt };

const days = new WeakMap<Receipt, string>();

/** The reader's own day; computed once for each entry, since there may be thousands. */
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
  const t = useMessages(quarantine);
  const { date } = useFormat();
  const near = { [new Date().toDateString()]: t.today, [new Date(Date.now() - DAY).toDateString()]: t.yesterday };
  return (
    <p className="border-b border-line bg-sunken px-3 py-1.5 text-xs font-medium text-muted sm:px-4">
      {near[when] ? `${near[when]} · ${date(when)}` : date(when)}
    </p>
  );
}
