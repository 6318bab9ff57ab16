import type { Entry } from '../../api/types';
import { useWidth } from '../../hooks/width';
import { useFormat, useMessages } from '../../messages/language';
import { working } from '../../messages/working';
import { DAY, HOUR, leftOf } from './time';

const HEIGHT = 58;
const AXIS = 38;
const EDGE = 8;

/** The next 24 hours, and in them the moment at which each entry leaves. */
export function Timeline({ entries, now, marked }: { entries: Entry[]; now: number; marked: string | null }) {
  const t = useMessages(working);
  const { number } = useFormat();
  const [box, width] = useWidth<HTMLDivElement>();
  const x = (left: number) => EDGE + (Math.min(left, DAY) / DAY) * (width - 2 * EDGE);
  return (
    <figure ref={box} className="mb-6 panel px-2 pt-3 pb-1.5">
      <figcaption className="px-2 text-xs text-muted">{t.leaving}</figcaption>
      <svg width="100%" height={HEIGHT} role="img" aria-label={t.leaving} className="block overflow-visible">
        <line x1={EDGE} x2={width - EDGE} y1={AXIS} y2={AXIS} stroke="var(--strong)" />
        {[0, 6, 12, 18, 24].map((hour) => (
          <g key={hour} transform={`translate(${x(hour * HOUR)} 0)`}>
            <line y1={AXIS} y2={AXIS + 4} stroke="var(--strong)" />
            <text
              y={AXIS + 17}
              fontSize="11"
              fill="var(--faint)"
              textAnchor={hour === 0 ? 'start' : hour === 24 ? 'end' : 'middle'}
            >
              {hour === 0 ? t.now : t.hours(number(hour))}
            </text>
          </g>
        ))}
        {entries.map((entry) => (
          <line
            key={entry.id}
            x1={x(leftOf(entry, now))}
            x2={x(leftOf(entry, now))}
            y1={entry.id === marked ? 6 : 16}
            y2={AXIS}
            stroke={entry.id === marked ? 'var(--ink)' : 'var(--temporary-line)'}
            strokeWidth={entry.id === marked ? 3 : 2}
            strokeLinecap="round"
          />
        ))}
      </svg>
    </figure>
  );
}
