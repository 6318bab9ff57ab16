import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../api/context';
import { useChanged } from '../../api/refresh';
import type { LongTermMemory } from '../../api/types';
import { Button } from '../../components/Button';
import { ConfirmForm } from '../../components/ConfirmForm';
import { Dialog } from '../../components/Dialog';
import { Icon } from '../../components/Icon';
import { useErrorMessage } from '../../components/States';
import { useToast } from '../../components/Toast';
import { useMessages } from '../../messages/language';
import { longterm } from '../../messages/longterm';

const LONGEST = 16_384;

/** What a person knows, written into long-term memory in their own name. */
export function Write() {
  const t = useMessages(longterm);
  const client = useClient();
  const changed = useChanged();
  const toast = useToast();
  const [isOpen, setIsOpen] = useState(false);
  const write = useMutation({
    mutationFn: (content: string) => client.post<LongTermMemory>('/memory/ingest', { content }),
    onSuccess: (memory) => {
      toast(t.written);
      setIsOpen(false);
      changed('promoted', memory.id);
    },
  });
  const problem = useErrorMessage(write.error);
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>
        <Icon name="edit" className="size-4" /> {t.write}
      </Button>
      <Dialog title={t.write} open={isOpen} onClose={() => setIsOpen(false)}>
        <ConfirmForm
          help={t.writeHelp}
          label={t.writeLabel}
          look="primary"
          sure={t.writeSure}
          cancel={t.cancel}
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
