import { memo, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { AuditLine } from '../../api/types';
import { Badge, type Tone } from '../../components/Badge';
import { Facts } from '../../components/Facts';
import { Icon } from '../../components/Icon';
import { useLineage } from '../../components/Lineage';
import { QuotedText } from '../../components/QuotedText';
import { audit } from '../../messages/audit';
import { useFormat, useMessages } from '../../messages/language';
import { lineage } from '../../messages/lineage';

const TONES: Record<string, Tone> = { promoted: 'verified', deleted: 'danger', 'foreign project refused': 'danger' };

/** One line of the log; its fingerprints on demand. */
export const Line = memo(function Line({ line }: { line: AuditLine }) {
  const { actions } = useMessages(lineage);
  const { number, time, full } = useFormat();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="group border-b border-line" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary
        data-row
        className="grid list-none grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-3 gap-y-0.5 px-3 py-3 hover:bg-sunken/70 focus-visible:-outline-offset-2 sm:grid-cols-[3.5rem_8.5rem_minmax(0,1fr)_auto] sm:px-4 [&::-webkit-details-marker]:hidden"
      >
        <span className="figures hidden text-[13px] text-faint sm:block">{number(line.sequence)}</span>
        <span className="flex min-w-0 items-baseline gap-x-2 sm:contents">
          <span>
            <Badge tone={TONES[line.action] ?? 'neutral'}>{actions[line.action] ?? line.action}</Badge>
          </span>
          <span className="min-w-0 truncate">{line.actor}</span>
        </span>
        <span className="figures flex items-center gap-1 text-[13px] text-faint">
          <time dateTime={line.at} title={full(line.at)}>
            {time(line.at)}
          </time>
          <Icon name="right" className="size-4 transition-transform group-open:rotate-90" />
        </span>
        {line.reason && (
          <QuotedText className="col-span-full text-sm text-muted sm:col-span-1 sm:col-start-3">
            {line.reason}
          </QuotedText>
        )}
      </summary>
      {isOpen && <Details line={line} />}
    </details>
  );
});

function Details({ line }: { line: AuditLine }) {
  const t = useMessages(audit);
  const { number, full } = useFormat();
  const code = (text: string) => <code className="font-mono text-xs">{text}</code>;
  return (
    <div className="bg-sunken/60 px-3 py-3 sm:px-4 sm:pl-[5.25rem]">
      <What line={line} />
      <Facts
        rows={[
          [t.line(number(line.sequence)), full(line.at)],
          [t.subject, <Subject key="subject" line={line} />],
          ...Object.entries(line.detail).map(([name, value]): [string, ReactNode] => [
            name,
            code(Array.isArray(value) ? value.join('\n') : typeof value === 'string' ? value : JSON.stringify(value)),
          ]),
          [t.previous, code(line.previous)],
          [t.digest, code(line.digest)],
        ]}
      />
    </div>
  );
}

/** What the action was about, in its own words, if they are still there. */
function What({ line }: { line: AuditLine }) {
  const { data } = useLineage(line.subject);
  const memory = data?.memories.find((one) => one.id === line.subject);
  const entry = data?.entries.find((one) => one.entry.id === line.subject)?.entry;
  const text = memory?.content ?? entry?.content;
  return text ? <QuotedText className="mb-3">{text}</QuotedText> : null;
}

function Subject({ line }: { line: AuditLine }) {
  const t = useMessages(audit);
  const id = encodeURIComponent(line.subject);
  const isMemory = line.action === 'promoted' || line.action === 'retired';
  const isEntry = line.action === 'dismissed' && !line.subject.startsWith('insight-');
  return (
    <>
      <code className="font-mono text-xs">{line.subject}</code>{' '}
      {(isMemory || isEntry) && (
        <Link href={isMemory ? `/longterm/${id}` : `/quarantine/${id}`} className="whitespace-nowrap link-underlined">
          {isMemory ? t.openMemory : t.openEntry}
        </Link>
      )}
    </>
  );
}
