import { createContext, use } from 'react';
import { type Format, formatIn } from './format';

export type Language = 'en' | 'zh';

/** The words of one page or part in both languages; `zh: typeof en` makes a missing one a type error. */
export interface Dictionary<T> {
  en: T;
  zh: T;
}

export const LanguageContext = createContext<Language>('en');

export function useLanguage(): Language {
  return use(LanguageContext);
}

/** The words in the reader's language. */
export function useMessages<T>(dictionary: Dictionary<T>): T {
  return dictionary[useLanguage()];
}

const formats = new Map<Language, Format>();

/** The formats of a language, made once: each takes the browser a millisecond, and a list has thousands of rows. */
function formatOf(language: Language): Format {
  const format = formats.get(language) ?? formatIn(language);
  formats.set(language, format);
  return format;
}

/** Dates, numbers and spans of time in the reader's language. */
export function useFormat(): Format {
  return formatOf(useLanguage());
}

/** The language that a browser prefers. */
export function preferred(): Language {
  return navigator.languages
    .find((one) => /^(en|zh)\b/i.test(one))
    ?.toLowerCase()
    .startsWith('zh')
    ? 'zh'
    : 'en';
}

/** The script that a text is mostly read in, for its `lang`: quotes keep their own typography on any page. */
export function langOf(text: string): 'zh-Hans' | 'en' {
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  return han * 3 > text.length ? 'zh-Hans' : 'en';
}
