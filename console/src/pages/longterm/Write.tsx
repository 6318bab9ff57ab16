import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../api/context';
import type { Memory } from '../../api/types';
import { Button } from '../../parts/Button';
import { Decide } from '../../parts/Decide';
import { Dialog } from '../../parts/Dialog';
import { Icon } from '../../parts/Icon';
import { useTold } from '../../parts/States';
import { useToast } from '../../parts/Toast';
import { useWords } from '../../words/language';
import { longterm } from '../../words/longterm';

const LONGEST = 16_384;

/** What a person knows, written into long-term memory in their own name. */
export function Write() {
  const say = useWords(longterm);
  const client = useClient();
  const cache = useQueryClient();
  const tell = useToast();
  const [isOpen, setIsOpen] = useState(false);
  const write = useMutation({
    mutationFn: (content: string) => client.post<Memory>('/memory/ingest', { content }),
    onSuccess: () => {
      tell(say.written);
      setIsOpen(false);
      for (const topic of ['longterm', 'audit', 'stats', 'flow']) {
        void cache.invalidateQueries({ queryKey: [client.project, topic] });
      }
    },
  });
  const problem = useTold(write.error);
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>
        <Icon name="edit" className="size-4" /> {say.write}
      </Button>
      <Dialog title={say.write} open={isOpen} onClose={() => setIsOpen(false)}>
        <Decide
          help={say.writeHelp}
          label={say.writeLabel}
          look="primary"
          sure={say.writeSure}
          cancel={say.cancel}
          most={LONGEST}
          busy={write.isPending}
          problem={problem}
          onSure={(text) => write.mutate(text)}
          onCancel={() => setIsOpen(false)}
        />
      </Dialog>
    </>
  );
}
