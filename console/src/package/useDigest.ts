import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Client, Problem } from '../api/client';
import { useClient } from '../api/context';
import type { Digest, Insight, InsightPage } from '../api/types';

export interface Sitting {
  /** The newest digest; null where none was made yet. */
  digest: Digest | null;
  /** What is to be decided on, and what was decided since the digest was made. Each keeps its place. */
  insights: Insight[];
}

export interface DigestState {
  data: Sitting | undefined;
  error: Error | null;
  isLoading: boolean;
  refresh: () => void;
  /** Make a digest now, of the last days. */
  make: (days?: number) => void;
  isMaking: boolean;
  makeError: Error | null;
}

const POLL = 60_000;

/** Read the digest of the project; with a key in place of a cookie it is asked for every minute. */
export function useDigest(): DigestState {
  const client = useClient();
  const cache = useQueryClient();
  const queryKey = [client.project, 'digest'];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => read(client, cache.getQueryData<Sitting>(queryKey), signal),
    refetchInterval: client.key === undefined ? false : POLL,
  });
  const making = useMutation({
    mutationFn: (days: number) => client.post<Digest>('/memory/digest', { days }),
    onSuccess: () => cache.invalidateQueries({ queryKey: [client.project] }),
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

async function read(client: Client, before: Sitting | undefined, signal: AbortSignal): Promise<Sitting> {
  const [digest, page] = await Promise.all([
    client.get<Digest>('/memory/digest', {}, signal).catch(noneYet),
    client.get<InsightPage>('/memory/insights', { decided: true, limit: 50 }, signal),
  ]);
  if (digest === null) return { digest, insights: [] };
  const decided = page.items.filter((one) => one.decision && one.decision.at >= digest.made_at);
  const kept = before?.digest?.made_at === digest.made_at ? before.insights : [];
  return { digest, insights: inPlace(kept, [...digest.insights, ...decided]) };
}

function noneYet(error: unknown): null {
  if (error instanceof Problem && error.status === 404) return null;
  throw error;
}

/** Keep everything where the reader saw it; what is new comes last. */
function inPlace(before: Insight[], now: Insight[]): Insight[] {
  const fresh = new Map(now.map((one) => [one.id, one]));
  const stayed = before.flatMap((one) => fresh.get(one.id) ?? []);
  const known = new Set(stayed.map((one) => one.id));
  return [...stayed, ...now.filter((one) => !known.has(one.id))];
}
