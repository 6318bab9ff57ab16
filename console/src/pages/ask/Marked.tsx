import { langOf } from '../../messages/language';

/** A text with the words marked that the question has, too. Only ever text. */
export function Marked({ text, words }: { text: string; words: string[] }) {
  return (
    <p lang={langOf(text)} className="quoted text-base">
      {cutAt(text, words).map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          <mark
            // biome-ignore lint/suspicious/noArrayIndexKey: a piece of a text is its place.
            key={index}
            className="bg-transparent text-inherit underline decoration-accent decoration-2 underline-offset-[5px]"
          >
            {part}
          </mark>
        ),
      )}
    </p>
  );
}

/** Cut a text at these words: every second part is one. */
export function cutAt(text: string, words: string[]): string[] {
  const known = words.filter(Boolean).sort((a, b) => b.length - a.length);
  if (known.length === 0) return [text];
  const any = known.map((word) =>
    /^[\p{Script=Latin}\p{N}]/u.test(word) ? `(?<![\\p{L}\\p{N}])${escaped(word)}` : escaped(word),
  );
  return text.split(new RegExp(`((?:${any.join('|')})+)`, 'giu'));
}

function escaped(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
