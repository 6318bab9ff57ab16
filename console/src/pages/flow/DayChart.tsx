import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import type { FlowDay } from '../../api/types';
import { useWidth } from '../../hooks/width';
import { flow } from '../../messages/flow';
import { useFormat, useMessages } from '../../messages/language';
import { Readout } from './Readout';
import { ticksTo } from './ticks';

const HEIGHT = 240;
const TOP = 10;
const BOTTOM = 24;
const LEFT = 34;
const RIGHT = 10;
/** Something is never drawn as nothing. */
const LEAST = 2;

/** What was recorded, admitted and promoted on each day, as bars within bars. */
export function DayChart({ days }: { days: FlowDay[] }) {
  const t = useMessages(flow);
  const { number } = useFormat();
  const [box, width] = useWidth<HTMLDivElement>();
  const [marked, setMarked] = useState<number | null>(null);
  const ticks = ticksTo(Math.max(1, ...days.map((day) => Math.max(day.recorded, day.promoted))));
  const most = ticks.at(-1) ?? 1;
  const step = (width - LEFT - RIGHT) / days.length;
  const y = (value: number) => HEIGHT - BOTTOM - (value / most) * (HEIGHT - TOP - BOTTOM);
  const pointAt = (event: PointerEvent<SVGSVGElement>) => {
    const at = Math.floor((event.clientX - event.currentTarget.getBoundingClientRect().left - LEFT) / step);
    setMarked(at >= 0 && at < days.length ? at : null);
  };
  const press = (event: KeyboardEvent) => {
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === 'Escape') setMarked(null);
    if (move === undefined) return;
    event.preventDefault();
    setMarked((now) => Math.min(days.length - 1, Math.max(0, (now ?? (move > 0 ? -1 : days.length)) + move)));
  };
  return (
    <section className="panel p-4 sm:p-5">
      <h2 className="font-semibold">{t.perDay}</h2>
      <Readout days={days} day={marked === null ? undefined : days[marked]} />
      <div ref={box} className="mt-3">
        <svg
          width="100%"
          height={HEIGHT}
          role="application"
          aria-label={`${t.perDay}. ${t.perDayHelp}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys go from day to day, and the readout tells.
          tabIndex={0}
          onPointerMove={pointAt}
          onPointerDown={pointAt}
          onPointerLeave={() => setMarked(null)}
          onKeyDown={press}
          onBlur={() => setMarked(null)}
          className="block touch-pan-y overflow-visible rounded"
        >
          {ticks.map((tick) => (
            <g key={tick} transform={`translate(0 ${y(tick)})`}>
              <line x1={LEFT} x2={width - RIGHT} stroke="var(--line)" />
              <text x={LEFT - 8} y="4" textAnchor="end" fontSize="11" fill="var(--faint)" className="figures">
                {number(tick)}
              </text>
            </g>
          ))}
          {marked !== null && (
            <rect x={LEFT + marked * step} y={TOP} width={step} height={HEIGHT - TOP - BOTTOM} fill="var(--sunken)" />
          )}
          {days.map((day, at) => (
            <Bars key={day.day} day={day} x={LEFT + at * step} step={step} y={y} />
          ))}
          <Dates days={days} step={step} />
        </svg>
      </div>
    </section>
  );
}

interface BarsProps {
  day: FlowDay;
  x: number;
  step: number;
  y: (value: number) => number;
}

function Bars({ day, x, step, y }: BarsProps) {
  const wide = Math.min(34, Math.max(2, step * 0.72));
  const bar = (value: number, share: number, fill: string, opacity = 1) => {
    if (value === 0) return null;
    const high = Math.max(LEAST, y(0) - y(value));
    const width = wide * share;
    return (
      <rect
        x={x + (step - width) / 2}
        y={y(0) - high}
        width={width}
        height={high}
        rx={Math.min(3, width / 3)}
        fill={fill}
        opacity={opacity}
      />
    );
  };
  return (
    <g>
      {bar(day.recorded, 1, 'var(--accent)', 0.28)}
      {bar(day.admitted, 0.62, 'var(--temporary-line)')}
      {bar(day.promoted, 0.62, 'var(--verified)')}
    </g>
  );
}

const ROOM = 64;

function Dates({ days, step }: { days: FlowDay[]; step: number }) {
  const { day } = useFormat();
  const every = Math.max(1, Math.ceil(ROOM / step));
  const last = days.length - 1;
  return days.map((one, at) =>
    (last - at) % every === 0 && LEFT + (at + 0.5) * step > ROOM / 2 ? (
      <text
        key={one.day}
        x={LEFT + (at + 0.5) * step}
        y={HEIGHT - 6}
        fontSize="11"
        fill="var(--faint)"
        textAnchor="middle"
      >
        {day(`${one.day}T12:00`)}
      </text>
    ) : null,
  );
}
