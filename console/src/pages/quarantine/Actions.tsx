import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useClient } from '../../api/context';
import { queryKeys } from '../../api/queryKeys';
import { useChanged } from '../../api/refresh';
import type { LongTermMemory, Receipt } from '../../api/types';
import { Button } from '../../components/Button';
import { ConfirmForm, focusSheet } from '../../components/ConfirmForm';
import { Icon } from '../../components/Icon';
import { SheetFooter } from '../../components/SheetFooter';
import { useErrorMessage } from '../../components/States';
import { useToast } from '../../components/Toast';
import { useMessages } from '../../messages/language';
import { quarantine } from '../../messages/quarantine';
import { useMay } from '../../session';
import { patch } from './entries';

type EntryAction = 'promote' | 'dismiss' | 'delete';

const LONGEST = 16_384;
const CHANGES = { promote: 'promoted', dismiss: 'dismissed', delete: 'deleted' } as const;

/** What a reviewer may do about an entry; each asks once more, and says what it does. */
export function Actions({ receipt, onGone }: { receipt: Receipt; onGone: () => void }) {
  const t = useMessages(quarantine);
  const mayReview = useMay('review');
  const [asking, setAsking] = useState<EntryAction | null>(null);
  const bar = useRef<HTMLDivElement>(null);
  const back = () => {
    setAsking(null);
    requestAnimationFrame(() => bar.current?.querySelector('button')?.focus());
  };
  const action = useAction(receipt, (done) => {
    if (done === 'delete') return onGone();
    setAsking(null);
    focusSheet(bar.current);
  });
  const problem = useErrorMessage(action.error);
  if (!mayReview) return null;
  const ask = (next: EntryAction) => {
    action.reset();
    setAsking(next);
  };
  return (
    <SheetFooter bar={bar}>
      {asking ? (
        <ConfirmForm
          key={asking}
          title={t[asking]}
          help={t[`${asking}Help`]}
          label={asking === 'promote' ? t.promoteLabel : t.reason}
          first={asking === 'promote' ? receipt.entry.content : ''}
          choices={asking === 'promote' ? [] : t.whys[asking]}
          {...(asking === 'promote' && { most: LONGEST })}
          look={asking === 'promote' ? 'primary' : 'danger'}
          sure={t.sure[asking]}
          cancel={t.cancel}
          busy={action.isPending}
          problem={problem}
          onSure={(text) => action.mutate({ kind: asking, text })}
          onCancel={back}
        />
      ) : (
        <div className="flex flex-wrap gap-2">
          {receipt.review === null && (
            <>
              <Button look="primary" onClick={() => ask('promote')}>
                {t.promote}
              </Button>
              <Button onClick={() => ask('dismiss')}>{t.dismiss}</Button>
            </>
          )}
          <Button look="quiet" className="ml-auto hover:text-danger" onClick={() => ask('delete')}>
            <Icon name="trash" className="size-4" /> {t.delete}
          </Button>
        </div>
      )}
    </SheetFooter>
  );
}

function useAction({ entry }: Receipt, onDone: (done: EntryAction) => void) {
  const t = useMessages(quarantine);
  const client = useClient();
  const cache = useQueryClient();
  const changed = useChanged();
  const toast = useToast();
  return useMutation({
    mutationFn: async ({ kind, text }: { kind: EntryAction; text: string }): Promise<string | undefined> => {
      if (kind === 'promote') {
        const body = { id: entry.id, ...(text !== entry.content && { text }) };
        return (await client.post<LongTermMemory>('/memory/promote', body)).id;
      }
      if (kind === 'dismiss') await client.post('/memory/dismiss', { id: entry.id, reason: text });
      else await client.delete(`/memory/entries/${encodeURIComponent(entry.id)}`, { reason: text });
      return undefined;
    },
    onSuccess: (memoryId, { kind }) => {
      toast(t.done[kind]);
      const review = kind === 'promote' ? 'promoted' : 'dismissed';
      patch(cache, client, entry.id, kind === 'delete' ? null : (one) => ({ ...one, review }));
      onDone(kind);
      if (kind === 'delete') cache.removeQueries({ queryKey: queryKeys.entry(client.project, entry.id) });
      changed(CHANGES[kind], memoryId);
    },
  });
}
