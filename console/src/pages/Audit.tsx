import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../api/context';
import { queryKeys } from '../api/queryKeys';
import type { AuditPage } from '../api/types';
import { Button } from '../components/Button';
import { Icon } from '../components/Icon';
import { PagedList } from '../components/PagedList';
import { PageHead } from '../components/PageHead';
import { EmptyState, ErrorState, Skeleton } from '../components/States';
import { useToast } from '../components/Toast';
import { useRowKeys } from '../hooks/hotkeys';
import { audit } from '../messages/audit';
import { useFormat, useMessages } from '../messages/language';
import { Chain } from './audit/Chain';
import { exportLog } from './audit/export';
import { Line } from './audit/Line';

const PAGE = 200;

/** Who decided what, and the proof that nobody changed it. */
export default function Audit() {
  const t = useMessages(audit);
  const list = useLines();
  useRowKeys();
  const lines = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <PageHead title={t.title} lead={t.lead}>
        <Export />
      </PageHead>
      <Chain />
      {list.error && <ErrorState error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Skeleton rows={6} className="h-12" />}
      {list.data && lines.length === 0 && <EmptyState icon="audit" title={t.none} help={t.noneHelp} />}
      {lines.length > 0 && (
        <PagedList
          pages={list}
          items={lines}
          height={48}
          label={t.list}
          keyOf={(line) => String(line.sequence)}
          row={(line) => <Line line={line} />}
        />
      )}
    </>
  );
}

function useLines() {
  const client = useClient();
  return useInfiniteQuery({
    queryKey: queryKeys.auditLines(client.project),
    queryFn: ({ pageParam, signal }) =>
      client.get<AuditPage>('/audit', { newest_first: true, limit: PAGE, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });
}

function Export() {
  const t = useMessages(audit);
  const { number } = useFormat();
  const client = useClient();
  const toast = useToast();
  const [count, setCount] = useState(0);
  const save = useMutation({
    mutationFn: () => exportLog(client, setCount),
    onSuccess: (lines) => toast(t.exported(number(lines))),
    onError: (error) => toast(error.message, 'danger'),
  });
  return (
    <Button disabled={save.isPending} onClick={() => save.mutate()}>
      <Icon name="out" className="size-4 rotate-90" />
      {save.isPending ? t.exporting(number(count)) : t.export}
    </Button>
  );
}
