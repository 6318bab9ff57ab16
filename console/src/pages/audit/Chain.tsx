import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../api/context';
import { queryKeys } from '../../api/queryKeys';
import type { Verification } from '../../api/types';
import { Button } from '../../components/Button';
import { CopyButton } from '../../components/CopyButton';
import { Icon } from '../../components/Icon';
import { ErrorState } from '../../components/States';
import { useNow } from '../../hooks/now';
import { audit } from '../../messages/audit';
import { useFormat, useMessages } from '../../messages/language';

/** Whether the log is as it was written, verified anew with every line that comes. */
export function Chain() {
  const t = useMessages(audit);
  const client = useClient();
  const { data, error, isFetching, refetch, dataUpdatedAt } = useQuery({
    queryKey: queryKeys.auditVerification(client.project),
    queryFn: ({ signal }) => client.get<Verification>('/audit/verification', {}, signal),
  });
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  const look = data?.whole === false ? 'border-danger' : 'border-line';
  return (
    <section aria-busy={isFetching} className={`mb-6 rounded-xl border bg-surface p-4 sm:p-5 ${look}`}>
      <div className="flex flex-wrap items-start gap-x-4 gap-y-3">
        <Seal whole={data?.whole} />
        <div className="min-w-0 flex-1 basis-64">
          <h2 className={`text-base font-semibold ${data?.whole === false ? 'text-danger' : ''}`}>
            {data ? (data.whole ? t.whole : t.broken) : `${t.verifying}…`}
          </h2>
          {data && <Details verification={data} />}
        </div>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 sm:flex-col sm:items-end">
          <Button disabled={isFetching} onClick={() => void refetch()}>
            <Icon name="refresh" className={`size-4 ${isFetching ? 'animate-spin' : ''}`} /> {t.again}
          </Button>
          {data && <VerifiedAt at={dataUpdatedAt} />}
        </div>
      </div>
    </section>
  );
}

function Seal({ whole }: { whole: boolean | undefined }) {
  const look =
    whole === undefined ? 'bg-sunken text-muted' : whole ? 'bg-verified text-on-verified' : 'bg-danger text-surface';
  return (
    <span className={`flex size-11 shrink-0 items-center justify-center rounded-full ${look}`}>
      <Icon name={whole === false ? 'alert' : 'longterm'} className="size-6" />
    </span>
  );
}

function Details({ verification: { whole, events, head, problems } }: { verification: Verification }) {
  const t = useMessages(audit);
  const { number } = useFormat();
  return (
    <>
      <p className="mt-0.5 text-sm text-pretty text-muted">{whole ? t.wholeHelp(number(events)) : t.brokenHelp}</p>
      {problems.length > 0 && (
        <ul className="mt-2 list-disc space-y-1 pl-5 text-sm wrap-anywhere">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      <div className="mt-2 flex items-center gap-2 text-sm">
        <span className="shrink-0 text-muted">{t.head}</span>
        <code className="min-w-0 truncate font-mono text-xs">{head}</code>
        <CopyButton text={head} label={t.copy} done={t.copied} look="quiet" className="-my-1 shrink-0" />
      </div>
    </>
  );
}

function VerifiedAt({ at }: { at: number }) {
  const t = useMessages(audit);
  const { ago } = useFormat();
  useNow();
  return <p className="text-xs text-faint">{t.verified(ago(new Date(at).toISOString()))}</p>;
}
