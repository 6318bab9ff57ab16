import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useClient } from '../../api/context';
import { useChanged } from '../../api/refresh';
import type { LongTermMemory, Retirement, Serving } from '../../api/types';
import { Button } from '../../components/Button';
import { ConfirmForm, focusSheet } from '../../components/ConfirmForm';
import { SheetFooter } from '../../components/SheetFooter';
import { useErrorMessage } from '../../components/States';
import { useToast } from '../../components/Toast';
import { useFormat, useMessages } from '../../messages/language';
import { longterm } from '../../messages/longterm';
import { useMay } from '../../session';

/** Take a memory out of retrieval, with a reason, knowing whom that concerns. */
export function Retire({ memory, served }: { memory: LongTermMemory; served: Serving[] }) {
  const t = useMessages(longterm);
  const [asking, setAsking] = useState(false);
  const bar = useRef<HTMLDivElement>(null);
  const retire = useRetire(memory, () => focusSheet(bar.current));
  const problem = useErrorMessage(retire.error);
  if (!useMay('review')) return null;
  return (
    <SheetFooter bar={bar}>
      {asking ? (
        <ConfirmForm
          title={t.retire}
          help={
            <>
              <p>{t.retireHelp}</p>
              <Affects served={served} />
            </>
          }
          label={t.reason}
          choices={t.whys}
          look="danger"
          sure={t.sure}
          cancel={t.cancel}
          busy={retire.isPending}
          problem={problem}
          onSure={(reason) => retire.mutate(reason)}
          onCancel={() => setAsking(false)}
        />
      ) : (
        <Button className="hover:border-danger hover:text-danger" onClick={() => setAsking(true)}>
          {t.retire}
        </Button>
      )}
    </SheetFooter>
  );
}

function Affects({ served }: { served: Serving[] }) {
  const t = useMessages(longterm);
  const { number } = useFormat();
  const count = (of: (one: Serving) => string | null) => number(new Set(served.map(of).filter(Boolean)).size);
  return (
    <p className="mt-2 rounded-lg bg-temporary-soft px-3 py-2 text-temporary">
      {served.length === 0
        ? t.affectsNone
        : t.affects(
            number(served.length),
            count((one) => one.session_id),
            count((one) => one.agent_id),
          )}
    </p>
  );
}

function useRetire({ id }: LongTermMemory, onDone: () => void) {
  const t = useMessages(longterm);
  const { number } = useFormat();
  const client = useClient();
  const changed = useChanged();
  const toast = useToast();
  return useMutation({
    mutationFn: (reason: string) => client.post<Retirement>('/memory/retire', { id, reason }),
    onSuccess: ({ served }) => {
      onDone();
      toast(t.done(number(served.length)));
      changed('retired', id);
    },
  });
}
