import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useClient } from '../../api/context';
import { queryKeys } from '../../api/queryKeys';
import type { KeyRole, NewKey } from '../../api/types';
import { Button } from '../../components/Button';
import { CopyButton } from '../../components/CopyButton';
import { Dialog } from '../../components/Dialog';
import { TextField } from '../../components/Fields';
import { Icon } from '../../components/Icon';
import { useErrorMessage } from '../../components/States';
import { keys } from '../../messages/keys';
import { useMessages } from '../../messages/language';
import { shell } from '../../messages/shell';
import { useProjects } from '../../session';

/** Make a key, and show it this once. */
export function MakeKey() {
  const t = useMessages(keys);
  const [isOpen, setIsOpen] = useState(false);
  const [made, setMade] = useState<NewKey | null>(null);
  const close = () => {
    setIsOpen(false);
    setMade(null);
  };
  return (
    <>
      <Button look="primary" onClick={() => setIsOpen(true)}>
        <Icon name="keys" className="size-4" /> {t.make}
      </Button>
      <Dialog title={made ? t.made : t.make} open={isOpen} onClose={close} firm={made !== null}>
        {made ? <Shown made={made} onClose={close} /> : <Form onMade={setMade} onCancel={close} />}
      </Dialog>
    </>
  );
}

function Form({ onMade, onCancel }: { onMade: (made: NewKey) => void; onCancel: () => void }) {
  const t = useMessages(keys);
  const client = useClient();
  const cache = useQueryClient();
  const { data: projects = [] } = useProjects();
  const [name, setName] = useState('');
  const [role, setRole] = useState<KeyRole>('agent');
  const [project, setProject] = useState(client.project ?? '');
  const make = useMutation({
    mutationFn: () => client.post<NewKey>('/keys', { name, role, project_id: role === 'admin' ? undefined : project }),
    onSuccess: (made) => {
      onMade(made);
      void cache.invalidateQueries({ queryKey: queryKeys.accessKeys });
    },
  });
  const problem = useErrorMessage(make.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <form onSubmit={submit} className="space-y-4">
      <div>
        <TextField
          label={t.name}
          value={name}
          onText={setName}
          data-first
          required
          maxLength={128}
          autoComplete="off"
        />
        <p className="mt-1 text-xs text-muted">{t.nameHelp}</p>
      </div>
      <Roles role={role} onChoose={setRole} />
      {role !== 'admin' && (
        <div>
          <TextField label={t.project} value={project} known={projects} onText={setProject} required maxLength={128} />
          <p className="mt-1 text-xs text-muted">{t.projectHelp}</p>
        </div>
      )}
      {problem && (
        <p role="alert" className="problem">
          {problem}
        </p>
      )}
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={make.isPending}>
          {t.make}
        </Button>
        <Button look="quiet" onClick={onCancel}>
          {t.cancel}
        </Button>
      </div>
    </form>
  );
}

const ROLES: KeyRole[] = ['agent', 'reviewer', 'auditor', 'admin'];

function Roles({ role, onChoose }: { role: KeyRole; onChoose: (role: KeyRole) => void }) {
  const t = useMessages(keys);
  const { roles } = useMessages(shell);
  return (
    <fieldset>
      <legend className="mb-1 text-xs text-muted">{t.role}</legend>
      <div className="grid gap-1.5">
        {ROLES.map((one) => (
          <label
            key={one}
            className="flex cursor-pointer items-baseline gap-2.5 rounded-lg border border-line px-3 py-2 has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="role"
              className="accent-accent outline-none"
              checked={one === role}
              onChange={() => onChoose(one)}
            />
            <span>
              <span className="block font-medium first-letter:uppercase">{roles[one]}</span>
              <span className="text-[13px] text-muted">{t.may[one]}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Shown({ made, onClose }: { made: NewKey; onClose: () => void }) {
  const t = useMessages(keys);
  const { roles } = useMessages(shell);
  return (
    <div>
      <p className="text-sm text-muted">
        {made.key.name} · {roles[made.key.role]} · {made.key.project_id ?? t.everyProject}
      </p>
      <code className="mt-3 block rounded-lg border border-temporary-line bg-temporary-soft px-3 py-3 font-mono text-sm wrap-anywhere select-all">
        {made.text}
      </code>
      <p className="mt-3 flex gap-2 text-sm text-pretty">
        <Icon name="alert" className="mt-0.5 size-4 text-temporary" /> {t.once}
      </p>
      <div className="mt-4 flex flex-wrap gap-2">
        <CopyButton text={made.text} label={t.copy} done={t.copied} look="primary" autoFocus />
        <Button onClick={onClose}>{t.putAway}</Button>
      </div>
    </div>
  );
}
