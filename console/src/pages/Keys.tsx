import { useQuery } from '@tanstack/react-query';
import { useClient } from '../api/context';
import type { Key, KeyPage } from '../api/types';
import { PageHead } from '../parts/PageHead';
import { EmptyState, ErrorState, Skeleton } from '../parts/States';
import { keys as words } from '../words/keys';
import { useWords } from '../words/language';
import { KeyList } from './keys/KeyList';
import { MakeKey } from './keys/MakeKey';
import { Projects } from './keys/Projects';

/** For an administrator: which projects there are, and who may do what in them. */
export default function Keys() {
  const say = useWords(words);
  const { data, error, refetch } = useKeys();
  return (
    <>
      <PageHead title={say.title} lead={say.lead}>
        <MakeKey />
      </PageHead>
      <Projects />
      <section>
        <h2 className="mb-3 text-base font-semibold">{say.keys}</h2>
        {error && <ErrorState error={error} retry={() => void refetch()} />}
        {!data && !error && <Skeleton className="h-16" />}
        {data?.length === 0 && <EmptyState icon="keys" title={say.noKeys} help={say.noKeysHelp} />}
        {data && data.length > 0 && <KeyList keys={data} />}
      </section>
    </>
  );
}

/** All keys of all projects; they are few. */
function useKeys() {
  const client = useClient();
  return useQuery({
    queryKey: ['keys'],
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
