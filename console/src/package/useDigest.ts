import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Client, Problem } from '../api/client';
import { useClient } from '../api/context';
import { queryKeys } from '../api/queryKeys';
import { useChanged } from '../api/refresh';
import type { Digest, InsightPage } from '../api/types';
import { type ReviewSession, reviewSession } from './reviewSession';

export interface DigestState {
  data: ReviewSession | undefined;
  error: Error | null;
  isLoading: boolean;
  refresh: () => void;
  /** Make a digest now, of the last days. */
  make: (days?: number) => void;
  isMaking: boolean;
  makeError: Error | null;
}

const POLL_MS = 60_000;
/** Own decisions are put into the list as they are made, and events tell of others': it is read seldom. */
const DECIDED_MS = 30_000;
const MOST_DECIDED = 50;

/** Read the digest of the project; with a key in place of a cookie it is asked for every minute. */
export function useDigest(): DigestState {
  const client = useClient();
  const cache = useQueryClient();
  const changed = useChanged();
  const query = useQuery({
    queryKey: queryKeys.digest(client.project),
    queryFn: ({ signal }) => read(client, cache, signal),
    refetchInterval: client.key === undefined ? false : POLL_MS,
  });
  const making = useMutation({
    mutationFn: (days: number) => client.post<Digest>('/memory/digest', { days }),
    onSuccess: (digest) => changed('digest:ready', digest.made_at),
  });
  return {
    data: query.data,
    error: query.error,
    isLoading: query.isPending,
    refresh: () => void query.refetch(),
    make: (days = 7) => making.mutate(days),
    isMaking: making.isPending,
    makeError: making.error,
  };
}

async function read(client: Client, cache: QueryClient, signal: AbortSignal): Promise<ReviewSession> {
  const [digest, decided] = await Promise.all([
    client.get<Digest>('/memory/digest', {}, signal).catch(noneYet),
    cache.fetchQuery({
      queryKey: queryKeys.decided(client.project),
      queryFn: () => client.get<InsightPage>('/memory/insights', { decided: true, limit: MOST_DECIDED }),
      staleTime: DECIDED_MS,
    }),
  ]);
  const before = cache.getQueryData<ReviewSession>(queryKeys.digest(client.project));
  return reviewSession(before, digest, decided.items);
}

function noneYet(error: unknown): null {
  if (error instanceof Problem && error.status === 404) return null;
  throw error;
}
