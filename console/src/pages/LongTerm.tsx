import { useLocation, useSearchParams } from 'wouter';
import { Button } from '../components/Button';
import { Choice } from '../components/Choice';
import { Dialog } from '../components/Dialog';
import { SearchField } from '../components/Fields';
import { ListCount, PagedList } from '../components/PagedList';
import { PageHead } from '../components/PageHead';
import { EmptyState, ErrorState, Skeleton } from '../components/States';
import { useRowKeys } from '../hooks/hotkeys';
import { useOpenItem } from '../hooks/openItem';
import { useFormat, useMessages } from '../messages/language';
import { longterm } from '../messages/longterm';
import { useMay } from '../session';
import { useStats } from '../shell/Navigation';
import { useMemories } from './longterm/memories';
import { Row } from './longterm/Row';
import { Sheet } from './longterm/Sheet';
import { Write } from './longterm/Write';

/** What people approved: search, provenance, who was served it, and retirement. */
export default function LongTerm() {
  const t = useMessages(longterm);
  const mayReview = useMay('review');
  const [params, setParams] = useSearchParams();
  const search = params.get('search') ?? '';
  const retired = params.get('show') === 'retired';
  const list = useMemories(search, retired);
  const count = useCount(list, search === '' && !retired);
  const { id, close } = useOpenItem('/longterm');
  useRowKeys();
  const set = (change: { search?: string; retired?: boolean }) => {
    const wanted = { search, retired, ...change };
    const next = new URLSearchParams(wanted.search && { search: wanted.search });
    if (wanted.retired) next.set('show', 'retired');
    setParams(next, { replace: true });
  };
  return (
    <>
      <PageHead title={`✅ ${t.title}`} lead={t.lead}>
        {mayReview && <Write />}
      </PageHead>
      <search className="mb-4 flex flex-wrap items-center gap-2">
        <SearchField label={t.search} value={search} onSearch={(text) => set({ search: text })} />
        <Choice
          label={t.which}
          value={retired ? 'retired' : 'living'}
          options={[
            { value: 'living', label: t.living },
            { value: 'retired', label: t.retired },
          ]}
          onChoose={(value) => set({ retired: value === 'retired' })}
        />
      </search>
      <ListCount>{count}</ListCount>
      {list.error && <ErrorState error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Skeleton rows={5} className="h-20" />}
      {list.data && list.memories.length === 0 && <Nothing searched={search !== ''} retired={retired} />}
      {list.memories.length > 0 && (
        <PagedList
          pages={list}
          items={list.memories}
          height={76}
          label={t.list}
          keyOf={(memory) => memory.id}
          row={(memory) => <Row memory={memory} here={memory.id === id} />}
        />
      )}
      <Dialog sheet title={t.memory} open={id !== undefined} onClose={close}>
        {id && <Sheet key={id} id={id} />}
      </Dialog>
    </>
  );
}

function useCount({ memories, hasNextPage }: ReturnType<typeof useMemories>, isWhole: boolean): string | undefined {
  const t = useMessages(longterm);
  const { number } = useFormat();
  const { data } = useStats();
  if (isWhole) return data && t.count(number(data.memories));
  return hasNextPage ? t.foundMore(number(memories.length)) : t.found(number(memories.length));
}

function Nothing({ searched, retired }: { searched: boolean; retired: boolean }) {
  const t = useMessages(longterm);
  const [, go] = useLocation();
  if (searched) return <EmptyState icon="longterm" title={t.noMatch} help={t.noMatchHelp} />;
  if (retired) return <EmptyState icon="longterm" title={t.noneRetired} />;
  return (
    <EmptyState icon="longterm" title={t.none} help={t.noneHelp}>
      <Button look="primary" onClick={() => go('/')}>
        {t.toDigest}
      </Button>
    </EmptyState>
  );
}
