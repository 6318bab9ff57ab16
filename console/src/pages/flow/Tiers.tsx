import { type ReactNode, useId } from 'react';
import { Link } from 'wouter';
import type { Stats } from '../../api/types';
import { Icon } from '../../components/Icon';
import { flow } from '../../messages/flow';
import { useFormat, useMessages } from '../../messages/language';

/** The picture of the three tiers: many are said, fewer get in, and a few stay. */
export function Tiers({ stats }: { stats: Stats }) {
  const t = useMessages(flow);
  const { number, percent } = useFormat();
  const decided = stats.admitted + stats.refused;
  return (
    <section className="mb-8">
      <h2 className="sr-only">{t.tiers}</h2>
      <div className="flex flex-col items-stretch gap-y-1 md:flex-row md:items-center">
        <Tier
          href="/quarantine"
          name={t.quarantine}
          help={t.quarantineHelp}
          count={number(stats.recorded)}
          band={<Band kind="dots" />}
        />
        <Gate name={t.filter}>
          <span className="text-temporary">{t.admitted(percent(decided === 0 ? 0 : stats.admitted / decided))}</span>
          <span>{t.refusedAll(number(stats.refused))}</span>
          {stats.pending > 0 && <span>{t.pendingAll(number(stats.pending))}</span>}
        </Gate>
        <Tier
          href="/working"
          name={`⚡️ ${t.working}`}
          help={stats.working === null ? t.workingDown : t.workingHelp}
          count={stats.working === null ? '–' : number(stats.working)}
          band={<Band kind="dashes" />}
        />
        <Gate name={t.person}>
          <span className={stats.insights_waiting > 0 ? 'text-accent' : ''}>
            {stats.insights_waiting > 0 ? t.waiting(number(stats.insights_waiting)) : t.nothingWaits}
          </span>
          <span>{t.tombstones(number(stats.tombstones))}</span>
        </Gate>
        <Tier
          href="/longterm"
          name={`✅ ${t.longterm}`}
          help={t.longtermHelp}
          count={number(stats.memories)}
          band={<Band kind="solid" />}
        />
      </div>
    </section>
  );
}

interface TierProps {
  href: string;
  name: string;
  help: string;
  count: string;
  band: ReactNode;
}

function Tier({ href, name, help, count, band }: TierProps) {
  return (
    <Link
      href={href}
      className="flex min-w-0 flex-col md:flex-1 md:basis-0 overflow-hidden panel transition-colors hover:border-accent"
    >
      <div className="flex items-center justify-between gap-x-3 px-4 py-3 md:block">
        <div>
          <p className="font-medium">{name}</p>
          <p className="text-[13px] text-muted md:hidden">{help}</p>
        </div>
        <p className="figures text-[2rem] leading-tight font-semibold tracking-tight">{count}</p>
        <p className="hidden text-[13px] text-muted md:block">{help}</p>
      </div>
      {band}
    </Link>
  );
}

const COLOURS = { dots: 'var(--accent)', dashes: 'var(--temporary-line)', solid: 'var(--verified)' };
const HEIGHT = 26;

/** The sign of a tier: loose grains, a row with gaps, a solid ground. */
function Band({ kind }: { kind: keyof typeof COLOURS }) {
  const id = useId();
  const colour = COLOURS[kind];
  return (
    <svg width="100%" height={HEIGHT} aria-hidden="true" className="mt-auto block border-t border-line">
      <defs>
        <pattern id={id} width={kind === 'dots' ? 10 : 34} height={HEIGHT} patternUnits="userSpaceOnUse">
          {kind === 'dots' && (
            <g fill={colour}>
              <circle cx="2.5" cy="7" r="1.5" opacity="0.5" />
              <circle cx="7.5" cy="13" r="1.5" opacity="0.75" />
              <circle cx="2.5" cy="19" r="1.5" />
            </g>
          )}
          {kind === 'dashes' && (
            <g fill="none" stroke={colour} strokeWidth="3" strokeLinecap="round">
              <path d="M5 9h14" opacity="0.6" />
              <path d="M14 17h14" />
            </g>
          )}
          {kind === 'solid' && <rect y="0" width="34" height={HEIGHT} fill={colour} />}
        </pattern>
      </defs>
      <rect width="100%" height={HEIGHT} fill={`url(#${id})`} />
    </svg>
  );
}

function Gate({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex shrink-0 items-center justify-center gap-3 px-3 py-1.5 md:w-32 md:flex-col md:gap-1 md:py-0 md:text-center">
      <Icon name="right" className="size-5 rotate-90 text-faint md:order-2 md:rotate-0" />
      <p className="text-xs font-medium text-muted md:order-1">{name}</p>
      <p className="figures flex flex-wrap gap-x-2.5 text-xs text-muted md:order-3 md:flex-col md:items-center">
        {children}
      </p>
    </div>
  );
}
