import { useCallback } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import type { Memory } from '../api/types';
import { Button } from '../parts/Button';
import { Choice } from '../parts/Choice';
import { Dialog } from '../parts/Dialog';
import { SearchField } from '../parts/Fields';
import { useRowKeys } from '../parts/hotkeys';
import { useOpen } from '../parts/open';
import { PageHead } from '../parts/PageHead';
import { EmptyState, ErrorState, Skeleton } from '../parts/States';
import { VirtualList } from '../parts/VirtualList';
import { useMay } from '../session';
import { useStats } from '../shell/Navigation';
import { useFormat, useWords } from '../words/language';
import { longterm } from '../words/longterm';
import { useMemories } from './longterm/memories';
import { Row } from './longterm/Row';
import { Sheet } from './longterm/Sheet';
import { Write } from './longterm/Write';

/** What people approved: search, provenance, who was told it, and retirement. */
export default function LongTerm() {
  const say = useWords(longterm);
  const mayReview = useMay('review');
  const [params, setParams] = useSearchParams();
  const search = params.get('search') ?? '';
  const retired = params.get('show') === 'retired';
  const list = useMemories(search, retired);
  const { id, close } = useOpen('/longterm');
  useRowKeys();
  const set = (next: { search?: string; retired?: boolean }) => {
    const wanted = { search, retired, ...next };
    const told = new URLSearchParams(wanted.search && { search: wanted.search });
    if (wanted.retired) told.set('show', 'retired');
    setParams(told, { replace: true });
  };
  return (
    <>
      <PageHead title={`✅ ${say.title}`} lead={say.lead}>
        {mayReview && <Write />}
      </PageHead>
      <search className="mb-4 flex flex-wrap items-center gap-2">
        <SearchField label={say.search} value={search} onSearch={(text) => set({ search: text })} />
        <Choice
          label={say.which}
          value={retired ? 'retired' : 'living'}
          options={[
            { value: 'living', label: say.living },
            { value: 'retired', label: say.retired },
          ]}
          onChoose={(value) => set({ retired: value === 'retired' })}
        />
      </search>
      <Found count={list.memories.length} whole={search === '' && !retired} hasMore={list.hasNextPage} />
      {list.error && <ErrorState error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Skeleton rows={5} className="h-20" />}
      {list.data && list.memories.length === 0 && <Nothing searched={search !== ''} retired={retired} />}
      {list.memories.length > 0 && <List {...list} here={id} />}
      <Dialog sheet title={say.memory} open={id !== undefined} onClose={close}>
        {id && <Sheet key={id} id={id} />}
      </Dialog>
    </>
  );
}

function Found({ count, whole, hasMore }: { count: number; whole: boolean; hasMore: boolean }) {
  const say = useWords(longterm);
  const { number } = useFormat();
  const { data } = useStats();
  const found = hasMore ? say.foundMore(number(count)) : say.found(number(count));
  return (
    <p role="status" className="figures mb-2 min-h-5 text-[13px] text-muted">
      {whole ? data && say.count(number(data.memories)) : found}
    </p>
  );
}

function Nothing({ searched, retired }: { searched: boolean; retired: boolean }) {
  const say = useWords(longterm);
  const [, go] = useLocation();
  if (searched) return <EmptyState icon="longterm" title={say.noMatch} help={say.noMatchHelp} />;
  if (retired) return <EmptyState icon="longterm" title={say.noneRetired} />;
  return (
    <EmptyState icon="longterm" title={say.none} help={say.noneHelp}>
      <Button look="primary" onClick={() => go('/')}>
        {say.toDigest}
      </Button>
    </EmptyState>
  );
}

interface ListProps {
  memories: Memory[];
  here: string | undefined;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

function List({ memories, here, hasNextPage, isFetchingNextPage, fetchNextPage }: ListProps) {
  const say = useWords(longterm);
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return (
    <div className="overflow-hidden rounded-xl border border-line bg-surface">
      <VirtualList
        items={memories}
        height={76}
        label={say.list}
        keyOf={(memory) => memory.id}
        onEnd={more}
        row={(memory) => <Row memory={memory} here={memory.id === here} />}
      />
    </div>
  );
}
