import { useQuery } from '@tanstack/react-query';
import { useClient } from '../api/context';
import { queryKeys } from '../api/queryKeys';
import type { Answer } from '../api/types';
import { Icon } from '../components/Icon';
import { PageHead } from '../components/PageHead';
import { EmptyState, ErrorState, Skeleton } from '../components/States';
import { ask } from '../messages/ask';
import { useMessages } from '../messages/language';
import { useSession } from '../session';
import { PromptBlock } from './ask/PromptBlock';
import { QuestionForm } from './ask/QuestionForm';
import { type Question, useQuestion } from './ask/question';
import { Results } from './ask/Results';

/** The retrieval as an agent would get it. */
export default function Ask() {
  const t = useMessages(ask);
  const [question, setQuestion] = useQuestion();
  const { data, error, isFetching, refetch } = useAnswer(question);
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <QuestionForm
        key={question.query}
        question={question}
        busy={isFetching}
        onAsk={(next) => (isSame(next, question) ? void refetch() : setQuestion(next))}
      />
      <div className="mt-8" aria-busy={isFetching}>
        {question.query === '' && <EmptyState icon="ask" title={t.startTitle} help={t.startHelp} />}
        {error && <ErrorState error={error} retry={() => void refetch()} />}
        {isFetching && !data && <Skeleton />}
        {data && <AnswerView answer={data} />}
      </div>
    </>
  );
}

function isSame(a: Question, b: Question): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Ask once for each question: every answer is recorded as served, so nothing asks by itself. */
function useAnswer(question: Question) {
  const client = useClient();
  const { name } = useSession();
  return useQuery({
    queryKey: queryKeys.answer(client.project, question),
    queryFn: () => client.post<Answer>('/memory/query', { ...question, agent_id: name, explain: true, prompt: true }),
    enabled: question.query !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  });
}

function AnswerView({ answer }: { answer: Answer }) {
  const t = useMessages(ask);
  return (
    <>
      {answer.degraded.length > 0 && (
        <p
          role="status"
          className="mb-5 flex items-start gap-2 rounded-lg bg-temporary-soft px-3.5 py-2.5 text-temporary"
        >
          <Icon name="alert" className="mt-0.5" />
          {t.degraded(answer.degraded.join(', '))}
        </p>
      )}
      <div className="grid items-start gap-x-8 gap-y-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
        {answer.results.length > 0 ? (
          <Results items={answer.results} />
        ) : (
          <EmptyState icon="ask" title={t.nothing} help={t.nothingHelp} />
        )}
        {answer.prompt && <PromptBlock text={answer.prompt} />}
      </div>
    </>
  );
}
