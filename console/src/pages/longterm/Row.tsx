import { memo } from 'react';
import type { LongTermMemory } from '../../api/types';
import { Icon } from '../../components/Icon';
import { QuotedText } from '../../components/QuotedText';
import { RowLink } from '../../components/RowLink';
import { useFormat, useMessages } from '../../messages/language';
import { longterm } from '../../messages/longterm';

/** One memory in the list. */
export const Row = memo(function Row({ memory, here }: { memory: LongTermMemory; here: boolean }) {
  const t = useMessages(longterm);
  const { day, full } = useFormat();
  const look = memory.retired_at ? 'bg-sunken text-muted' : 'bg-verified text-on-verified';
  const when = memory.retired_at ?? memory.promoted_at;
  return (
    <RowLink page="/longterm" id={memory.id} here={here}>
      <span className={`flex size-6 shrink-0 items-center justify-center rounded-full ${look}`}>
        <Icon name={memory.retired_at ? 'close' : 'check'} className="size-3.5" />
      </span>
      <div className="min-w-0 flex-1">
        <QuotedText className={`line-clamp-3 ${memory.retired_at ? 'text-muted' : ''}`}>{memory.content}</QuotedText>
        <p className="figures mt-1 flex flex-wrap gap-x-3 text-[13px] text-muted">
          <span title={full(when)}>
            {memory.retired_at
              ? t.retiredBy(memory.retired_by ?? '', day(when))
              : t.approved(memory.promoted_by, day(when))}
          </span>
          <span className="text-faint">{t.sources(memory.entry_ids.length)}</span>
        </p>
      </div>
    </RowLink>
  );
});
