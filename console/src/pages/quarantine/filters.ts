import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import type { Query } from '../../api/client';

const NAMES = ['search', 'decision', 'check', 'review', 'time', 'from', 'to', 'session', 'agent'] as const;

/** What is looked for; all of it is in the address, so that a view can be sent to somebody. */
export type Filters = Record<(typeof NAMES)[number], string>;

export interface FilterState {
  filters: Filters;
  /** How many are set, the search aside. */
  active: number;
  set: (change: Partial<Filters>) => void;
  clear: () => void;
}

export function useFilters(): FilterState {
  const [params, setParams] = useSearchParams();
  const filters = useMemo(
    () => Object.fromEntries(NAMES.map((name) => [name, params.get(name) ?? ''])) as Filters,
    [params],
  );
  const set = (change: Partial<Filters>) => {
    const active = Object.entries({ ...filters, ...change }).filter(([, value]) => value !== '');
    setParams(new URLSearchParams(active), { replace: true });
  };
  return {
    filters,
    active: NAMES.filter((name) => !['search', 'from', 'to'].includes(name) && filters[name]).length,
    set,
    clear: () => setParams(new URLSearchParams(), { replace: true }),
  };
}

/** The filters as the server takes them; days begin where the reader is. */
export function queryOf({ search, decision, check, review, time, from, to, session, agent }: Filters): Query {
  const range = time === 'range' ? { since: startOf(from), until: startOf(to, 1) } : { since: daysBack(time) };
  return { search, decision, check, review, session_id: session, agent_id: agent, ...range };
}

function startOf(day: string, later = 0): string {
  const [year, month, date] = day.split('-').map(Number);
  if (!year || !month || !date) return '';
  return new Date(year, month - 1, date + later).toISOString();
}

function daysBack(days: string): string {
  if (days === '') return '';
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - Number(days) + 1).toISOString();
}
