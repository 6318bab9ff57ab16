import type { Refinement, RefineOutcome } from '../api/types';
import { Badge, type Tone } from '../components/Badge';
import { digest as messages } from '../messages/digest';
import { useFormat, useMessages } from '../messages/language';

const TONES: Record<RefineOutcome, Tone> = {
  ready: 'accent',
  observing: 'neutral',
  too_narrow: 'neutral',
  duplicate: 'neutral',
};

/** What refining advises: ready, or why not, with a dot for each independent session that is needed. */
export function Verdict({ refinement }: { refinement: Refinement }) {
  const t = useMessages(messages);
  const { number } = useFormat();
  const { outcome, observations, needed } = refinement;
  const seen = t.seen(number(observations), number(needed));
  return (
    <Badge tone={TONES[outcome]} title={seen}>
      {t.verdicts[outcome]}
      {(outcome === 'ready' || outcome === 'observing') && (
        <Dots seen={Math.min(observations, needed)} of={needed} label={seen} />
      )}
    </Badge>
  );
}

function Dots({ seen, of, label }: { seen: number; of: number; label: string }) {
  return (
    <span className="ml-0.5 inline-flex gap-[3px]">
      {Array.from({ length: of }, (_, index) => index).map((index) => (
        <span
          key={index}
          className={`size-1.5 rounded-full ${index < seen ? 'bg-current' : 'border border-current opacity-60'}`}
        />
      ))}
      <span className="sr-only">{label}</span>
    </span>
  );
}
