import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useClient } from '../../api/context';
import type { Receipt } from '../../api/types';
import { Button } from '../../parts/Button';
import { Decide, focusSheet } from '../../parts/Decide';
import { Icon } from '../../parts/Icon';
import { useTold } from '../../parts/States';
import { useToast } from '../../parts/Toast';
import { useMay } from '../../session';
import { useWords } from '../../words/language';
import { quarantine } from '../../words/quarantine';
import { patch } from './entries';

type Deed = 'promote' | 'dismiss' | 'delete';

const LONGEST = 16_384;
const TOUCHED = ['quarantine', 'working', 'longterm', 'digest', 'audit', 'stats', 'flow', 'lineage'];

/** What a reviewer may do about an entry; each deed asks once more, and says what it does. */
export function Deeds({ receipt, onGone }: { receipt: Receipt; onGone: () => void }) {
  const say = useWords(quarantine);
  const mayReview = useMay('review');
  const [asking, setAsking] = useState<Deed | null>(null);
  const bar = useRef<HTMLDivElement>(null);
  const back = () => {
    setAsking(null);
    requestAnimationFrame(() => bar.current?.querySelector('button')?.focus());
  };
  const deed = useDeed(receipt, (done) => {
    if (done === 'delete') return onGone();
    setAsking(null);
    focusSheet(bar.current);
  });
  const problem = useTold(deed.error);
  if (!mayReview) return null;
  const ask = (next: Deed) => {
    deed.reset();
    setAsking(next);
  };
  return (
    <div
      ref={bar}
      className="sticky bottom-0 -mx-5 mt-6 -mb-5 border-t border-line bg-surface px-5 pt-3.5 pb-[max(1rem,env(safe-area-inset-bottom))]"
    >
      {asking ? (
        <Decide
          key={asking}
          title={say[asking]}
          help={say[`${asking}Help`]}
          label={asking === 'promote' ? say.promoteLabel : say.reason}
          first={asking === 'promote' ? receipt.entry.content : ''}
          choices={asking === 'promote' ? [] : say.whys[asking]}
          {...(asking === 'promote' && { most: LONGEST })}
          look={asking === 'promote' ? 'primary' : 'danger'}
          sure={say.sure[asking]}
          cancel={say.cancel}
          busy={deed.isPending}
          problem={problem}
          onSure={(text) => deed.mutate({ kind: asking, text })}
          onCancel={back}
        />
      ) : (
        <div className="flex flex-wrap gap-2">
          {receipt.review === null && (
            <>
              <Button look="primary" onClick={() => ask('promote')}>
                {say.promote}
              </Button>
              <Button onClick={() => ask('dismiss')}>{say.dismiss}</Button>
            </>
          )}
          <Button look="quiet" className="ml-auto hover:text-danger" onClick={() => ask('delete')}>
            <Icon name="trash" className="size-4" /> {say.delete}
          </Button>
        </div>
      )}
    </div>
  );
}

function useDeed({ entry }: Receipt, onDone: (done: Deed) => void) {
  const say = useWords(quarantine);
  const client = useClient();
  const cache = useQueryClient();
  const tell = useToast();
  return useMutation({
    mutationFn: async ({ kind, text }: { kind: Deed; text: string }) => {
      if (kind === 'delete') await client.delete(`/memory/entries/${encodeURIComponent(entry.id)}`, { reason: text });
      else if (kind === 'dismiss') await client.post('/memory/dismiss', { id: entry.id, reason: text });
      else await client.post('/memory/promote', { id: entry.id, ...(text !== entry.content && { text }) });
    },
    onSuccess: (_, { kind }) => {
      tell(say.done[kind]);
      const review = kind === 'promote' ? 'promoted' : 'dismissed';
      patch(cache, client, entry.id, kind === 'delete' ? null : (one) => ({ ...one, review }));
      onDone(kind);
      if (kind === 'delete') cache.removeQueries({ queryKey: [client.project, 'quarantine', entry.id] });
      for (const topic of TOUCHED) void cache.invalidateQueries({ queryKey: [client.project, topic] });
    },
  });
}
