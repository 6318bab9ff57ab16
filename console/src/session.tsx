import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, use, useEffect } from 'react';
import { Client, Problem } from './api/client';
import { dropHalf, storedHalf, storeHalf } from './api/half';
import { queryKeys } from './api/queryKeys';
import type { ProjectPage, Right, Session } from './api/types';

export const SessionContext = createContext<Session | null>(null);

/** Who is signed in. */
export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error('Nobody is signed in here.');
  return session;
}

/** Whether the signed-in person may do this. */
export function useMay(right: Right): boolean {
  return useSession().rights.includes(right);
}

const SOON = 5_000;

const anyone = new Client();
let printed = takeToken();

/** Take the token of a printed link out of the address, before anything else sees it. */
function takeToken(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) history.replaceState(null, '', location.pathname + location.search);
  return token;
}

export interface Whoami {
  /** Null where a key is needed and none is there. */
  session: Session | null;
  /** Whether the link's token was refused. */
  refused: boolean;
}

/** Read who is signed in; the token of a printed link signs in first. */
export function useWhoami() {
  const cache = useQueryClient();
  useEffect(() => {
    // The link, opened where the console is open already.
    const arrive = () => {
      printed = takeToken();
      if (printed !== null) void cache.resetQueries({ queryKey: queryKeys.session });
    };
    window.addEventListener('hashchange', arrive);
    return () => window.removeEventListener('hashchange', arrive);
  }, [cache]);
  return useQuery({ queryKey: queryKeys.session, queryFn: whoami, staleTime: Number.POSITIVE_INFINITY, retry: false });
}

async function whoami(): Promise<Whoami> {
  const token = printed;
  printed = null;
  const refused = token !== null && (await unlessUnknown(signIn(token).then(() => true))) === null;
  return { session: await known(), refused };
}

/** Read who calls; a half that is of no use any more is gone after the first answer, and does not stand in the way. */
async function known(): Promise<Session | null> {
  const half = storedHalf();
  const session = await unlessUnknown(anyone.get<Session>('/session'));
  return session ?? (half === null ? null : unlessUnknown(anyone.get<Session>('/session')));
}

/** Take a 401 for nobody. */
async function unlessUnknown<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return null;
    throw error;
  }
}

async function signIn(key: string): Promise<void> {
  const { half } = await new Client({ key }).post<{ half: string }>('/session');
  storeHalf(half);
}

export function useSignIn(): { signIn: (key: string) => Promise<void>; signOut: () => Promise<void> } {
  const cache = useQueryClient();
  return {
    signIn: async (key) => {
      await signIn(key);
      await cache.resetQueries({ queryKey: queryKeys.session });
    },
    signOut: async () => {
      await anyone.delete('/session');
      dropHalf(storedHalf());
      // A fresh page: nothing that was read stays behind.
      location.assign('/');
    },
  };
}

/** The projects that one may choose from. */
export function useProjects() {
  return useQuery({
    queryKey: queryKeys.projects,
    queryFn: async ({ signal }): Promise<string[]> => {
      const page = await anyone.get<ProjectPage>('/projects', { limit: 1000 }, signal);
      return page.items.map((one) => one.project_id);
    },
    // Nothing tells of the first project but asking for it.
    refetchInterval: ({ state }) => (state.data?.length === 0 ? SOON : false),
  });
}
