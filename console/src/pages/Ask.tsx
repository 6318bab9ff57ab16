import { useQuery } from '@tanstack/react-query';
import { useClient } from '../api/context';
import type { Answer } from '../api/types';
import { Icon } from '../parts/Icon';
import { PageHead } from '../parts/PageHead';
import { EmptyState, ErrorState, Skeleton } from '../parts/States';
import { useSession } from '../session';
import { ask } from '../words/ask';
import { useWords } from '../words/language';
import { PromptBlock } from './ask/PromptBlock';
import { QuestionForm } from './ask/QuestionForm';
import { type Question, useQuestion } from './ask/question';
import { Results } from './ask/Results';

/** The retrieval as an agent would get it. */
export default function Ask() {
  const say = useWords(ask);
  const [question, setQuestion] = useQuestion();
  const { data, error, isFetching, refetch } = useAnswer(question);
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <QuestionForm
        key={question.query}
        question={question}
        busy={isFetching}
        onAsk={(next) => (isSame(next, question) ? void refetch() : setQuestion(next))}
      />
      <div className="mt-8" aria-busy={isFetching}>
        {question.query === '' && <EmptyState icon="ask" title={say.startTitle} help={say.startHelp} />}
        {error && <ErrorState error={error} retry={() => void refetch()} />}
        {isFetching && !data && <Skeleton />}
        {data && <Told answer={data} />}
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
    queryKey: [client.project, 'ask', question],
    queryFn: () => client.post<Answer>('/memory/query', { ...question, agent_id: name, explain: true, prompt: true }),
    enabled: question.query !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  });
}

function Told({ answer }: { answer: Answer }) {
  const say = useWords(ask);
  return (
    <>
      {answer.degraded.length > 0 && (
        <p
          role="status"
          className="mb-5 flex items-start gap-2 rounded-lg bg-temporary-soft px-3.5 py-2.5 text-temporary"
        >
          <Icon name="alert" className="mt-0.5" />
          {say.degraded(answer.degraded.join(', '))}
        </p>
      )}
      <div className="grid items-start gap-x-8 gap-y-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
        {answer.results.length > 0 ? (
          <Results items={answer.results} />
        ) : (
          <EmptyState icon="ask" title={say.nothing} help={say.nothingHelp} />
        )}
        {answer.prompt && <PromptBlock text={answer.prompt} />}
      </div>
    </>
  );
}
