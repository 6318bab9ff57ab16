import type { DiffRun } from '../api/types';

const MOST = 1_500;

/** Cut a text into words and what stands between them, in any language. */
function cut(text: string): string[] {
  const segments = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text);
  return Array.from(segments, (one) => one.segment);
}

/** Say which words turn one text into the other: the longest common run stays. */
export function diff(before: string, after: string): DiffRun[] {
  const [a, b] = [cut(before), cut(after)];
  if (a.length > MOST || b.length > MOST) {
    return [
      { edit: 'removed', text: before },
      { edit: 'added', text: after },
    ];
  }
  const lengths = common(a, b);
  const runs: DiffRun[] = [];
  const add = (edit: DiffRun['edit'], text: string) => {
    const last = runs.at(-1);
    if (last?.edit === edit) last.text += text;
    else runs.push({ edit, text });
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add('same', a[i++] as string);
      j++;
    } else if (j >= b.length || (i < a.length && at(lengths, i + 1, j) >= at(lengths, i, j + 1))) {
      add('removed', a[i++] as string);
    } else {
      add('added', b[j++] as string);
    }
  }
  return runs;
}

/** How long the longest common run is from each pair of places on. */
function common(a: string[], b: string[]): Uint16Array[] {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    const row = rows[i] as Uint16Array;
    for (let j = b.length - 1; j >= 0; j--) {
      row[j] = a[i] === b[j] ? at(rows, i + 1, j + 1) + 1 : Math.max(at(rows, i + 1, j), at(rows, i, j + 1));
    }
  }
  return rows;
}

function at(rows: Uint16Array[], i: number, j: number): number {
  return rows[i]?.[j] ?? 0;
}
