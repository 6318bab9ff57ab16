import type { FoundItem } from '../../api/types';
import { ask } from '../../messages/ask';
import { useFormat, useMessages } from '../../messages/language';

/** How the score is made up, as the server weighs it. */
const MEANING = 0.45;
const WORDS = 0.55;

/** Why it matched: the score as a bar of meaning and words. */
export function Match({ item }: { item: FoundItem }) {
  const t = useMessages(ask);
  const { score } = useFormat();
  const { why } = item;
  return (
    <div className="figures mt-3 flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px] text-muted">
      <span className="flex items-center gap-2">
        <span className="font-medium text-ink">
          <span className="sr-only">{t.score} </span>
          {score(item.score)}
        </span>
        <Bar item={item} />
      </span>
      {why && why.similarity !== null && <Part colour="bg-accent">{t.meaning(score(why.similarity))}</Part>}
      {why && (
        <Part colour="bg-accent/45">
          {why.words.length > 0 || why.word_score > 0 ? t.words(score(why.word_score)) : t.byMeaning}
        </Part>
      )}
    </div>
  );
}

function Part({ colour, children }: { colour: string; children: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <span className={`size-2 rounded-full ${colour}`} />
      {children}
    </span>
  );
}

function Bar({ item }: { item: FoundItem }) {
  const { why } = item;
  const byMeaning = why ? (why.similarity ?? 0) * MEANING : item.score;
  const byWords = why ? (why.similarity === null ? why.word_score : why.word_score * WORDS) : 0;
  return (
    <span aria-hidden="true" className="flex h-1.5 w-24 overflow-hidden rounded-full bg-line">
      <span className="bg-accent" style={{ width: `${Math.max(byMeaning, 0) * 100}%` }} />
      <span className="bg-accent/45" style={{ width: `${byWords * 100}%` }} />
    </span>
  );
}
