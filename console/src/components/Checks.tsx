import { Link } from 'wouter';
import type { CheckResult } from '../api/types';
import { checks as messages } from '../messages/checks';
import { useFormat, useMessages } from '../messages/language';
import { Icon } from './Icon';

/** The pages of what a person rejected, by the code of the check's reason. */
const REJECTED: Record<string, string> = { 'tombstone.dismissed': '/quarantine', 'tombstone.retired': '/longterm' };

/** Every check of an entry: whether it passed, its score, and why; what failed comes first. */
export function Checks({ checks }: { checks: CheckResult[] }) {
  const failed = checks.filter((check) => !check.passed);
  const passed = checks.filter((check) => check.passed);
  return (
    <ul className="space-y-2.5">
      {[...failed, ...passed].map((check) => (
        <li key={check.name}>
          <One check={check} />
        </li>
      ))}
    </ul>
  );
}

function One({ check }: { check: CheckResult }) {
  const t = useMessages(messages);
  const why = useMessages(check.reason);
  const page = REJECTED[check.reason.code];
  const { source_id: source } = check.reason.params;
  return (
    <div className={`flex gap-2.5 text-sm ${check.passed ? '' : '-mx-2.5 rounded-lg bg-danger-soft px-2.5 py-2'}`}>
      <Icon
        name={check.passed ? 'check' : 'close'}
        className={`mt-0.5 size-4 ${check.passed ? 'text-verified' : 'text-danger'}`}
      />
      <div className="min-w-0 flex-1">
        <p className="flex justify-between gap-3">
          <span className={check.passed ? '' : 'font-semibold text-danger'}>
            {t.names[check.name] ?? check.name}
            <span className="sr-only"> {check.passed ? t.passed : t.failed}</span>
          </span>
          <Score check={check} />
        </p>
        <p className={`text-[13px] wrap-anywhere ${check.passed ? 'text-muted' : ''}`}>{why}</p>
        {page && (
          <Link href={`${page}/${encodeURIComponent(String(source))}`} className="text-[13px] link">
            {t.rejected}
          </Link>
        )}
      </div>
    </div>
  );
}

function Score({ check }: { check: CheckResult }) {
  const { number, score } = useFormat();
  if (check.score === null) return null;
  const isShare = check.name !== 'length' && check.score <= 1;
  return <span className="figures text-muted">{isShare ? score(check.score) : number(Math.round(check.score))}</span>;
}
