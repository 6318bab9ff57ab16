import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useClient } from '../../api/context';
import type { Memory, Retirement, Serving } from '../../api/types';
import { Button } from '../../parts/Button';
import { Decide, focusSheet } from '../../parts/Decide';
import { useTold } from '../../parts/States';
import { useToast } from '../../parts/Toast';
import { useMay } from '../../session';
import { useFormat, useWords } from '../../words/language';
import { longterm } from '../../words/longterm';

/** Take a memory out of retrieval, with a reason, knowing whom that concerns. */
export function Retire({ memory, served }: { memory: Memory; served: Serving[] }) {
  const say = useWords(longterm);
  const [asking, setAsking] = useState(false);
  const bar = useRef<HTMLDivElement>(null);
  const retire = useRetire(memory, () => focusSheet(bar.current));
  const problem = useTold(retire.error);
  if (!useMay('review')) return null;
  return (
    <div
      ref={bar}
      className="sticky bottom-0 -mx-5 mt-6 -mb-5 border-t border-line bg-surface px-5 pt-3.5 pb-[max(1rem,env(safe-area-inset-bottom))]"
    >
      {asking ? (
        <Decide
          title={say.retire}
          help={
            <>
              <p>{say.retireHelp}</p>
              <Affects served={served} />
            </>
          }
          label={say.reason}
          choices={say.whys}
          look="danger"
          sure={say.sure}
          cancel={say.cancel}
          busy={retire.isPending}
          problem={problem}
          onSure={(reason) => retire.mutate(reason)}
          onCancel={() => setAsking(false)}
        />
      ) : (
        <Button className="hover:border-danger hover:text-danger" onClick={() => setAsking(true)}>
          {say.retire}
        </Button>
      )}
    </div>
  );
}

function Affects({ served }: { served: Serving[] }) {
  const say = useWords(longterm);
  const { number } = useFormat();
  const count = (of: (one: Serving) => string | null) => number(new Set(served.map(of).filter(Boolean)).size);
  return (
    <p className="mt-2 rounded-lg bg-temporary-soft px-3 py-2 text-temporary">
      {served.length === 0
        ? say.affectsNone
        : say.affects(
            number(served.length),
            count((one) => one.session_id),
            count((one) => one.agent_id),
          )}
    </p>
  );
}

function useRetire({ id }: Memory, onDone: () => void) {
  const say = useWords(longterm);
  const { number } = useFormat();
  const client = useClient();
  const cache = useQueryClient();
  const tell = useToast();
  return useMutation({
    mutationFn: (reason: string) => client.post<Retirement>('/memory/retire', { id, reason }),
    onSuccess: ({ served }) => {
      onDone();
      tell(say.done(number(served.length)));
      for (const topic of ['longterm', 'lineage', 'audit', 'stats', 'flow', 'digest']) {
        void cache.invalidateQueries({ queryKey: [client.project, topic] });
      }
    },
  });
}
