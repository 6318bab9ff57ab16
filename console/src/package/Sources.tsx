import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../api/context';
import { queryKeys } from '../api/queryKeys';
import type { Insight, InsightSource, Receipt } from '../api/types';
import { Badge } from '../components/Badge';
import { QuotedText } from '../components/QuotedText';
import { useErrorMessage } from '../components/States';
import { badges } from '../messages/badges';
import { checks } from '../messages/checks';
import { digest as messages } from '../messages/digest';
import { useLanguage, useMessages } from '../messages/language';
import { Byline, Title } from './Evidence';
import { useReview } from './review';

const FEW = 3;

/** Every entry behind an insight, in its own words; the whole entry on demand. */
export function Sources({ insight }: { insight: Insight }) {
  const { view, linkTo, dispatch } = useReview();
  const t = useMessages(messages);
  const { sources } = insight;
  const shown = view.isExpanded ? sources : sources.slice(0, FEW);
  return (
    <section>
      <Title>{t.sources(sources.length)}</Title>
      <ul className="flex flex-col gap-3">
        {shown.map((source) => (
          <li key={source.entry_id}>
            <Quote source={source} {...(linkTo && { href: linkTo('entry', source.entry_id) })} />
          </li>
        ))}
      </ul>
      {sources.length > FEW && (
        <button
          type="button"
          onClick={() => dispatch({ type: 'toggleSources' })}
          aria-expanded={view.isExpanded}
          className={`mt-3 ${LINK}`}
        >
          {view.isExpanded ? t.hide : t.moreSources(sources.length - FEW)}
        </button>
      )}
    </section>
  );
}

const LINK = 'rounded text-sm link';

function Quote({ source, href }: { source: InsightSource; href?: string }) {
  const t = useMessages(messages);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className={`border-l-2 pl-3.5 ${source.doubt ? 'border-danger/50' : 'border-strong'}`}>
      <QuotedText className={source.doubt ? 'text-muted' : ''}>{source.quote}</QuotedText>
      <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1">
        <Byline source={source} />
        {source.doubt && (
          <Badge tone="danger" title={t.doubtHelp}>
            {t.doubts[source.doubt]}
          </Badge>
        )}
        <button type="button" onClick={() => setIsOpen(!isOpen)} aria-expanded={isOpen} className={LINK}>
          {isOpen ? t.hide : t.whole}
        </button>
      </div>
      {isOpen && <WholeEntry id={source.entry_id} {...(href && { href })} />}
    </div>
  );
}

function WholeEntry({ id, href }: { id: string; href?: string }) {
  const t = useMessages(messages);
  const { decisions } = useMessages(badges);
  const { names } = useMessages(checks);
  const language = useLanguage();
  const client = useClient();
  const { data, error } = useQuery({
    queryKey: queryKeys.entry(client.project, id),
    queryFn: ({ signal }) => client.get<Receipt>(`/memory/entries/${encodeURIComponent(id)}`, {}, signal),
  });
  const problem = useErrorMessage(error);
  if (problem) return <p className="mt-2 problem">{problem}</p>;
  if (!data) return <div className="mt-2 h-16 animate-pulse rounded-lg bg-sunken" />;
  const { entry, admission } = data;
  return (
    <div className="mt-2 rounded-lg bg-sunken p-3">
      <QuotedText className="text-sm">{entry.content}</QuotedText>
      <div className="mt-2 flex flex-wrap items-center gap-1.5">
        <Badge tone={admission.admitted ? 'verified' : 'danger'}>{decisions[admission.decision]}</Badge>
        {admission.checks
          .filter((check) => !check.passed)
          .map((check) => (
            <Badge key={check.name} title={check.reason[language]}>
              ✘ {names[check.name] ?? check.name}
            </Badge>
          ))}
        {href && (
          <a href={href} className={`ml-auto ${LINK}`}>
            {t.openEntry}
          </a>
        )}
      </div>
    </div>
  );
}
