import { memo } from 'react';
import { Link, useSearch } from 'wouter';
import type { Memory } from '../../api/types';
import { Icon } from '../../parts/Icon';
import { Said } from '../../parts/Said';
import { useFormat, useWords } from '../../words/language';
import { longterm } from '../../words/longterm';

/** One memory in the list. */
export const Row = memo(function Row({ memory, here }: { memory: Memory; here: boolean }) {
  const say = useWords(longterm);
  const { day, full } = useFormat();
  const search = useSearch();
  const look = memory.retired_at ? 'bg-sunken text-muted' : 'bg-verified text-on-verified';
  const when = memory.retired_at ?? memory.promoted_at;
  return (
    <Link
      href={`/longterm/${encodeURIComponent(memory.id)}${search && `?${search}`}`}
      data-row
      aria-current={here || undefined}
      className="flex gap-3 border-b border-line px-3 py-3.5 transition-colors hover:bg-sunken/70 focus-visible:-outline-offset-2 aria-[current]:bg-accent-soft sm:px-4"
    >
      <span className={`flex size-6 shrink-0 items-center justify-center rounded-full ${look}`}>
        <Icon name={memory.retired_at ? 'close' : 'check'} className="size-3.5" />
      </span>
      <div className="min-w-0 flex-1">
        <Said className={`line-clamp-3 ${memory.retired_at ? 'text-muted' : ''}`}>{memory.content}</Said>
        <p className="figures mt-1 flex flex-wrap gap-x-3 text-[13px] text-muted">
          <span title={full(when)}>
            {memory.retired_at
              ? say.retiredBy(memory.retired_by ?? '', day(when))
              : say.approved(memory.promoted_by, day(when))}
          </span>
          <span className="text-faint">{say.sources(memory.entry_ids.length)}</span>
        </p>
      </div>
    </Link>
  );
});
