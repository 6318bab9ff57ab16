import type { ReactNode } from 'react';
import type { AgeBucket } from '../../api/types';
import { flow } from '../../messages/flow';
import { useFormat, useMessages } from '../../messages/language';

const HEIGHT = 96;

export interface AgesProps {
  title: string;
  buckets: AgeBucket[];
  colour: string;
  children: ReactNode;
}

/** How many there are of each age, from new to old. */
export function Ages({ title, buckets, colour, children }: AgesProps) {
  const t = useMessages(flow);
  const { number } = useFormat();
  const most = Math.max(1, ...buckets.map((bucket) => bucket.count));
  const from = (at: number) => number(buckets[at - 1]?.up_to_days ?? 0);
  return (
    <section className="flex flex-col panel p-4 sm:p-5">
      <h2 className="font-semibold">{title}</h2>
      <div className="mt-0.5 text-[13px] text-muted">{children}</div>
      <dl className="mt-auto grid auto-cols-fr grid-flow-col gap-1.5 pt-5">
        {buckets.map(({ up_to_days: days, count }, at) => (
          <div key={days ?? 'older'} className="figures flex flex-col text-center">
            <dd className={`order-1 text-sm ${count > 0 ? 'font-medium' : 'text-faint'}`}>{number(count)}</dd>
            <svg width="100%" height={HEIGHT} aria-hidden="true" className="order-2 mt-1 block">
              <Column
                high={count === 0 ? 1 : Math.max(4, (count / most) * HEIGHT)}
                fill={count ? colour : 'var(--strong)'}
              />
            </svg>
            <dt className="order-3 mt-1 text-[11px] whitespace-nowrap text-faint">
              {days === null ? t.older(from(at)) : t.upTo(from(at), number(days))}
            </dt>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Column({ high, fill }: { high: number; fill: string }) {
  return <rect x="8%" width="84%" y={HEIGHT - high} height={high} rx={Math.min(3, high / 2)} fill={fill} />;
}
