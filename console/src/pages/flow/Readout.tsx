import type { FlowDay } from '../../api/types';
import { flow } from '../../messages/flow';
import { useFormat, useMessages } from '../../messages/language';

const COUNTS = ['recorded', 'admitted', 'promoted', 'refused', 'dismissed', 'retired'] as const;
type Count = (typeof COUNTS)[number];
const DOTS: Partial<Record<Count, string>> = {
  recorded: 'bg-accent/30',
  admitted: 'bg-temporary-line',
  promoted: 'bg-verified',
};

/** The figures of the day that is pointed at, else of all days together; it is the legend, too. */
export function Readout({ days, day }: { days: FlowDay[]; day: FlowDay | undefined }) {
  const t = useMessages(flow);
  const { number, date } = useFormat();
  const sum = (name: Count) => (day ? day[name] : days.reduce((all, one) => all + one[name], 0));
  const labels = { ...t, admitted: t.admittedDay };
  return (
    <div aria-live="polite" className="mt-1">
      <p className="text-[13px] text-muted">{day ? date(`${day.day}T12:00`) : t.total}</p>
      <dl className="figures mt-1.5 flex flex-wrap gap-x-5 gap-y-1 text-sm">
        {COUNTS.map((name) => (
          <div key={name} className="flex items-baseline gap-1.5">
            <dt className={`flex items-center gap-1.5 ${DOTS[name] ? '' : 'text-muted'}`}>
              {DOTS[name] && <span aria-hidden="true" className={`size-2.5 rounded-[3px] ${DOTS[name]}`} />}
              {labels[name]}
            </dt>
            <dd className={`min-w-[2ch] ${DOTS[name] ? 'font-semibold' : 'text-muted'}`}>{number(sum(name))}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
