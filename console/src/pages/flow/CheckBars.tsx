import { Link } from 'wouter';
import type { FlowDay } from '../../api/types';
import { checks } from '../../messages/checks';
import { flow } from '../../messages/flow';
import { useFormat, useMessages } from '../../messages/language';

/** What each check refused, the most first. */
export function CheckBars({ days }: { days: FlowDay[] }) {
  const t = useMessages(flow);
  const { names } = useMessages(checks);
  const { number } = useFormat();
  const rows = totals(days);
  const most = rows[0]?.[1] ?? 1;
  // The same days there, where its filter has them.
  const time = [7, 30].includes(days.length) && { time: String(days.length) };
  return (
    <section className="panel p-4 sm:p-5">
      <h2 className="font-semibold">{t.byCheck}</h2>
      <p className="mt-0.5 mb-3 text-[13px] text-muted">{rows.length > 0 ? t.byCheckHelp : t.noRefusals}</p>
      <ul>
        {rows.map(([check, count]) => (
          <li key={check}>
            <Link
              href={`/quarantine?${new URLSearchParams({ check, ...time })}`}
              className="-mx-2 grid min-h-9 grid-cols-[8.5rem_minmax(0,1fr)_3rem] items-center gap-2 rounded-lg px-2 text-sm hover:bg-sunken"
            >
              <span className="truncate">{names[check] ?? check}</span>
              <svg width="100%" height="12" aria-hidden="true">
                <rect
                  width={`${Math.max(1, (count / most) * 100)}%`}
                  height="12"
                  rx="3"
                  fill="var(--danger)"
                  opacity="0.75"
                />
              </svg>
              <span className="figures text-right">{number(count)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function totals(days: FlowDay[]): [string, number][] {
  const sums = new Map<string, number>();
  for (const day of days) {
    for (const [check, count] of Object.entries(day.refused_by)) sums.set(check, (sums.get(check) ?? 0) + count);
  }
  return [...sums].sort(([, a], [, b]) => b - a);
}
