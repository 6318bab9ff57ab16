import { useSearchParams } from 'wouter';

/** A question and its options, as the address has them. */
export interface Question {
  query: string;
  max_results: number;
  max_unverified: number;
  relevance_threshold: number;
  time_range_days: number | undefined;
  session_id: string | undefined;
}

const NAMES = {
  query: 'q',
  max_results: 'verified',
  max_unverified: 'temporary',
  relevance_threshold: 'least',
  time_range_days: 'days',
  session_id: 'session',
} as const;
const DEFAULTS = { max_results: 5, max_unverified: 10, relevance_threshold: 0 };

/** The question in the address, so that it can be shared and gone back to. */
export function useQuestion(): [Question, (next: Question) => void] {
  const [search, setSearch] = useSearchParams();
  const number = (name: string) => (search.has(name) ? Number(search.get(name)) : undefined);
  const question: Question = {
    query: search.get('q') ?? '',
    max_results: number('verified') ?? DEFAULTS.max_results,
    max_unverified: number('temporary') ?? DEFAULTS.max_unverified,
    relevance_threshold: number('least') ?? DEFAULTS.relevance_threshold,
    time_range_days: number('days'),
    session_id: search.get('session') ?? undefined,
  };
  return [question, (next) => setSearch(toAddress(next))];
}

function toAddress(question: Question): Record<string, string> {
  const changed = Object.entries(question).filter(
    ([name, value]) => value !== undefined && value !== '' && value !== DEFAULTS[name as keyof typeof DEFAULTS],
  );
  return Object.fromEntries(changed.map(([name, value]) => [NAMES[name as keyof Question], String(value)]));
}
