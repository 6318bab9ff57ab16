import { QueryCache, QueryClient } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { type Client, Problem } from './client';
import { queryKeys } from './queryKeys';

export const ClientContext = createContext<Client | null>(null);

/** The client of the chosen project. */
export function useClient(): Client {
  const client = use(ClientContext);
  if (!client) throw new Error('No client here: wrap this in a MemsieveProvider.');
  return client;
}

/** Make the cache of what was read: kept a minute, since the event stream says what changed. */
export function makeCache(): QueryClient {
  const retry = (failures: number, error: Error) => failures < 2 && (!(error instanceof Problem) || error.passing);
  const cache: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: (error) => recheckSession(cache, error) }),
    defaultOptions: { queries: { staleTime: 60_000, retry } },
  });
  return cache;
}

/** A key that is no longer valid leads back to signing in. */
function recheckSession(cache: QueryClient, error: Error): void {
  if (error instanceof Problem && error.status === 401) void cache.invalidateQueries({ queryKey: queryKeys.session });
}
