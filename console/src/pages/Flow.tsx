import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { useClient } from '../api/context';
import type { Flow as FlowOf } from '../api/types';
import { Choice } from '../parts/Choice';
import { useNow } from '../parts/now';
import { PageHead } from '../parts/PageHead';
import { EmptyState, ErrorState, Skeleton } from '../parts/States';
import { useStats } from '../shell/Navigation';
import { flow } from '../words/flow';
import { useFormat, useWords } from '../words/language';
import { Ages } from './flow/Ages';
import { CheckBars } from './flow/CheckBars';
import { DayChart } from './flow/DayChart';
import { Tiers } from './flow/Tiers';

const SPANS = ['7', '30', '90'] as const;

/** How much flows from tier to tier, and where it stops. */
export default function Flow() {
  const say = useWords(flow);
  const { number } = useFormat();
  const [params, setParams] = useSearchParams();
  const days = SPANS.find((one) => one === params.get('days')) ?? '30';
  const { data: stats } = useStats();
  const { data, error, refetch } = useFlow(Number(days));
  return (
    <>
      <PageHead title={say.title} lead={say.lead}>
        <Choice
          label={say.span}
          value={days}
          options={SPANS.map((one) => ({ value: one, label: say.days(number(Number(one))) }))}
          onChoose={(next) => setParams({ days: next }, { replace: true })}
        />
      </PageHead>
      {error && <ErrorState error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={2} className="h-56" />}
      {stats && <Tiers stats={stats} />}
      {stats?.recorded === 0 && <EmptyState icon="flow" title={say.none} help={say.noneHelp} />}
      {data && stats?.recorded !== 0 && <Charts flow={data} />}
    </>
  );
}

function useFlow(days: number) {
  const client = useClient();
  return useQuery({
    queryKey: [client.project, 'flow', days],
    queryFn: ({ signal }) =>
      client.get<FlowOf>('/flow', { days, offset_minutes: -new Date().getTimezoneOffset() }, signal),
    placeholderData: keepPreviousData,
  });
}

function Charts({ flow: data }: { flow: FlowOf }) {
  const say = useWords(flow);
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <div className="lg:col-span-2">
        <DayChart days={data.days} />
      </div>
      <div className="lg:col-span-2">
        <CheckBars days={data.days} />
      </div>
      <Ages title={say.queue} buckets={data.insight_ages} colour="var(--accent)">
        <Queue flow={data} />
      </Ages>
      <Ages title={say.ages} buckets={data.memory_ages} colour="var(--verified)">
        {say.agesHelp}
      </Ages>
    </div>
  );
}

function Queue({ flow: data }: { flow: FlowOf }) {
  const say = useWords(flow);
  const { span } = useFormat();
  const now = useNow();
  const since = (when: string) => span(now - Date.parse(when));
  return (
    <>
      {data.oldest_insight ? say.oldestInsight(since(data.oldest_insight)) : say.noInsight}{' '}
      {data.oldest_insight && (
        <Link href="/" className="text-accent underline underline-offset-4">
          {say.toDigest}
        </Link>
      )}
      {data.oldest_pending && <p className="text-danger">{say.pending(since(data.oldest_pending))}</p>}
    </>
  );
}
