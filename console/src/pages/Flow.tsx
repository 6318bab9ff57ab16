import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { useClient } from '../api/context';
import { queryKeys } from '../api/queryKeys';
import type { Flow as FlowOf } from '../api/types';
import { Choice } from '../components/Choice';
import { PageHead } from '../components/PageHead';
import { EmptyState, ErrorState, Skeleton } from '../components/States';
import { useNow } from '../hooks/now';
import { flow } from '../messages/flow';
import { useFormat, useMessages } from '../messages/language';
import { useStats } from '../shell/Navigation';
import { Ages } from './flow/Ages';
import { CheckBars } from './flow/CheckBars';
import { DayChart } from './flow/DayChart';
import { Tiers } from './flow/Tiers';

const SPANS = ['7', '30', '90'] as const;

/** How much flows from tier to tier, and where it stops. */
export default function Flow() {
  const t = useMessages(flow);
  const { number } = useFormat();
  const [params, setParams] = useSearchParams();
  const days = SPANS.find((one) => one === params.get('days')) ?? '30';
  const { data: stats } = useStats();
  const { data, error, refetch } = useFlow(Number(days));
  return (
    <>
      <PageHead title={t.title} lead={t.lead}>
        <Choice
          label={t.span}
          value={days}
          options={SPANS.map((one) => ({ value: one, label: t.days(number(Number(one))) }))}
          onChoose={(next) => setParams({ days: next }, { replace: true })}
        />
      </PageHead>
      {error && <ErrorState error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={2} className="h-56" />}
      {stats && <Tiers stats={stats} />}
      {stats?.recorded === 0 && <EmptyState icon="flow" title={t.none} help={t.noneHelp} />}
      {data && stats?.recorded !== 0 && <Charts flow={data} />}
    </>
  );
}

function useFlow(days: number) {
  const client = useClient();
  return useQuery({
    queryKey: queryKeys.flow(client.project, days),
    queryFn: ({ signal }) =>
      client.get<FlowOf>('/flow', { days, offset_minutes: -new Date().getTimezoneOffset() }, signal),
    placeholderData: keepPreviousData,
  });
}

function Charts({ flow: data }: { flow: FlowOf }) {
  const t = useMessages(flow);
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <div className="lg:col-span-2">
        <DayChart days={data.days} />
      </div>
      <div className="lg:col-span-2">
        <CheckBars days={data.days} />
      </div>
      <Ages title={t.queue} buckets={data.insight_ages} colour="var(--accent)">
        <Queue flow={data} />
      </Ages>
      <Ages title={t.ages} buckets={data.memory_ages} colour="var(--verified)">
        {t.agesHelp}
      </Ages>
    </div>
  );
}

function Queue({ flow: data }: { flow: FlowOf }) {
  const t = useMessages(flow);
  const { span } = useFormat();
  const now = useNow();
  const since = (when: string) => span(now - Date.parse(when));
  return (
    <>
      {data.oldest_insight ? t.oldestInsight(since(data.oldest_insight)) : t.noInsight}{' '}
      {data.oldest_insight && (
        <Link href="/" className="link-underlined">
          {t.toDigest}
        </Link>
      )}
      {data.oldest_pending && <p className="text-danger">{t.pending(since(data.oldest_pending))}</p>}
    </>
  );
}
