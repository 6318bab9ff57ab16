import { useQuery } from '@tanstack/react-query';
import { useClient } from '../api/context';
import { queryKeys } from '../api/queryKeys';
import type { Key, KeyPage } from '../api/types';
import { PageHead } from '../components/PageHead';
import { EmptyState, ErrorState, Skeleton } from '../components/States';
import { keys as messages } from '../messages/keys';
import { useMessages } from '../messages/language';
import { KeyList } from './keys/KeyList';
import { MakeKey } from './keys/MakeKey';
import { Projects } from './keys/Projects';

/** For an administrator: which projects there are, and who may do what in them. */
export default function Keys() {
  const t = useMessages(messages);
  const { data, error, refetch } = useKeys();
  return (
    <>
      <PageHead title={t.title} lead={t.lead}>
        <MakeKey />
      </PageHead>
      <Projects />
      <section>
        <h2 className="mb-3 text-base font-semibold">{t.keys}</h2>
        {error && <ErrorState error={error} retry={() => void refetch()} />}
        {!data && !error && <Skeleton className="h-16" />}
        {data?.length === 0 && <EmptyState icon="keys" title={t.noKeys} help={t.noKeysHelp} />}
        {data && data.length > 0 && <KeyList keys={data} />}
      </section>
    </>
  );
}

/** All keys of all projects; they are few. */
function useKeys() {
  const client = useClient();
  return useQuery({
    queryKey: queryKeys.accessKeys,
    queryFn: async ({ signal }) => {
      const keys: Key[] = [];
      let cursor: string | null = null;
      do {
        const page: KeyPage = await client.get('/keys', { project_id: null, limit: 1000, cursor }, signal);
        keys.push(...page.items);
        cursor = page.next_cursor;
      } while (cursor !== null);
      return keys;
    },
  });
}
