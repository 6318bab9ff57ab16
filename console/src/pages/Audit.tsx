import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { useClient } from '../api/context';
import type { AuditPage } from '../api/types';
import { Button } from '../parts/Button';
import { useRowKeys } from '../parts/hotkeys';
import { Icon } from '../parts/Icon';
import { PageHead } from '../parts/PageHead';
import { EmptyState, ErrorState, Skeleton } from '../parts/States';
import { useToast } from '../parts/Toast';
import { VirtualList } from '../parts/VirtualList';
import { audit } from '../words/audit';
import { useFormat, useWords } from '../words/language';
import { Chain } from './audit/Chain';
import { exportLog } from './audit/export';
import { Line } from './audit/Line';

const PAGE = 200;

/** Who decided what, and the proof that nobody changed it. */
export default function Audit() {
  const say = useWords(audit);
  const list = useLines();
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  useRowKeys();
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const lines = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <PageHead title={say.title} lead={say.lead}>
        <Export />
      </PageHead>
      <Chain />
      {list.error && <ErrorState error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Skeleton rows={6} className="h-12" />}
      {list.data && lines.length === 0 && <EmptyState icon="audit" title={say.none} help={say.noneHelp} />}
      {lines.length > 0 && (
        <div className="overflow-hidden rounded-xl border border-line bg-surface">
          <VirtualList
            items={lines}
            height={48}
            label={say.list}
            keyOf={(line) => String(line.sequence)}
            onEnd={more}
            row={(line) => <Line line={line} />}
          />
        </div>
      )}
    </>
  );
}

function useLines() {
  const client = useClient();
  return useInfiniteQuery({
    queryKey: [client.project, 'audit', 'lines'],
    queryFn: ({ pageParam, signal }) =>
      client.get<AuditPage>('/audit', { newest_first: true, limit: PAGE, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });
}

function Export() {
  const say = useWords(audit);
  const { number } = useFormat();
  const client = useClient();
  const tell = useToast();
  const [count, setCount] = useState(0);
  const save = useMutation({
    mutationFn: () => exportLog(client, setCount),
    onSuccess: (lines) => tell(say.exported(number(lines))),
    onError: (error) => tell(error.message, 'danger'),
  });
  return (
    <Button disabled={save.isPending} onClick={() => save.mutate()}>
      <Icon name="out" className="size-4 rotate-90" />
      {save.isPending ? say.exporting(number(count)) : say.export}
    </Button>
  );
}
