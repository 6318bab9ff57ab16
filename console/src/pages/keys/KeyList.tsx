import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../api/context';
import { queryKeys } from '../../api/queryKeys';
import type { Key, KeyRole } from '../../api/types';
import { Badge, type Tone } from '../../components/Badge';
import { Button } from '../../components/Button';
import { focusPage } from '../../components/ConfirmForm';
import { Dialog } from '../../components/Dialog';
import { useErrorMessage } from '../../components/States';
import { useToast } from '../../components/Toast';
import { keys as messages } from '../../messages/keys';
import { useFormat, useMessages } from '../../messages/language';
import { shell } from '../../messages/shell';
import { useSession } from '../../session';

const TONES: Record<KeyRole, Tone> = { agent: 'neutral', reviewer: 'verified', auditor: 'accent', admin: 'temporary' };

/** Every key: whose it is, what it may do, when it was used last. */
export function KeyList({ keys }: { keys: Key[] }) {
  const t = useMessages(messages);
  const { number } = useFormat();
  const [asked, setAsked] = useState<Key | null>(null);
  const valid = keys.filter((key) => !key.revoked_at);
  const revoked = keys.filter((key) => key.revoked_at);
  return (
    <>
      <ul className="overflow-hidden panel">
        {valid.map((key) => (
          <li key={key.id} className="border-b border-line last:border-0">
            <Row of={key} onRevoke={() => setAsked(key)} />
          </li>
        ))}
      </ul>
      {revoked.length > 0 && (
        <details className="mt-4">
          <summary className="w-fit rounded-lg py-1.5 text-sm text-muted hover:text-ink">
            {t.revoked(number(revoked.length))}
          </summary>
          <ul className="mt-2 overflow-hidden rounded-xl border border-line">
            {revoked.map((key) => (
              <li key={key.id} className="border-b border-line last:border-0">
                <Row of={key} />
              </li>
            ))}
          </ul>
        </details>
      )}
      <Revoke of={asked} onClose={() => setAsked(null)} />
    </>
  );
}

function Row({ of: key, onRevoke }: { of: Key; onRevoke?: () => void }) {
  const t = useMessages(messages);
  const { roles } = useMessages(shell);
  const { ago, day, full } = useFormat();
  return (
    <div className="flex items-center gap-3 px-3 py-3 sm:px-4">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
          <span className={`font-medium wrap-anywhere ${key.revoked_at ? 'text-muted line-through' : ''}`}>
            {key.name}
          </span>
          <Badge tone={TONES[key.role]}>{roles[key.role]}</Badge>
          <span className="text-sm text-muted">{key.project_id ?? t.everyProject}</span>
        </p>
        <p className="figures mt-0.5 flex flex-wrap gap-x-3 text-[13px] text-muted">
          <span title={key.last_used_at ? full(key.last_used_at) : undefined}>
            {key.last_used_at ? t.used(ago(key.last_used_at)) : t.unused}
          </span>
          <span className="text-faint" title={full(key.made_at)}>
            {t.madeBy(key.made_by, day(key.made_at))}
          </span>
          {key.revoked_at && <span>{t.revokedBy(key.revoked_by ?? '', day(key.revoked_at))}</span>}
          <span className="font-mono text-xs leading-5 text-faint">{key.id}</span>
        </p>
      </div>
      {onRevoke && (
        <Button look="quiet" className="hover:text-danger" onClick={onRevoke} aria-label={`${t.revoke}: ${key.name}`}>
          {t.revoke}
        </Button>
      )}
    </div>
  );
}

function Revoke({ of: key, onClose }: { of: Key | null; onClose: () => void }) {
  const t = useMessages(messages);
  const client = useClient();
  const cache = useQueryClient();
  const session = useSession();
  const toast = useToast();
  const revoke = useMutation({
    mutationFn: (id: string) => client.delete<Key>(`/keys/${encodeURIComponent(id)}`, { project_id: null }),
    onSuccess: ({ name }) => {
      toast(t.revokeDone(name));
      onClose();
      void cache.invalidateQueries({ queryKey: queryKeys.accessKeys }).then(focusPage);
    },
  });
  const problem = useErrorMessage(revoke.error);
  return (
    <Dialog title={t.revokeTitle(key?.name ?? '')} open={key !== null} onClose={onClose}>
      <p className="text-pretty text-muted">{t.revokeHelp}</p>
      {key?.name === session.name && key.role === session.role && <p className="mt-2 text-danger">{t.revokeOwn}</p>}
      {problem && (
        <p role="alert" className="mt-2 problem">
          {problem}
        </p>
      )}
      <div className="mt-5 flex gap-2">
        <Button look="danger" disabled={revoke.isPending} onClick={() => key && revoke.mutate(key.id)}>
          {t.revokeSure}
        </Button>
        <Button look="quiet" onClick={onClose} data-first>
          {t.cancel}
        </Button>
      </div>
    </Dialog>
  );
}
