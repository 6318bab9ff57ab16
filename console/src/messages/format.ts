const LOCALES = { en: 'en-GB', zh: 'zh-CN' } as const;
// The short months of Chinese are figures: 11/9.
const MONTHS = { en: 'short', zh: 'long' } as const;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface Format {
  /** 1,234 */
  number(value: number): string;
  /** 0.93, of scores and confidences */
  score(value: number): string;
  /** 81% */
  percent(value: number): string;
  /** 16 Nov, or 16 Nov 2025 where the year is another */
  day(when: string): string;
  /** 9–16 Nov */
  days(from: string, to: string): string;
  /** 16 Nov, 17:07 */
  time(when: string): string;
  /** 17:07 */
  hour(when: string): string;
  /** Monday 16 November, of the reader's own day */
  date(when: string): string;
  /** 16 November 2026 at 17:07:41 GMT, for titles */
  full(when: string): string;
  /** 3 days ago */
  ago(when: string): string;
  /** 3 days, of a span in milliseconds */
  span(length: number): string;
}

/** Format for one language; times in the reader's own zone. */
export function formatIn(language: keyof typeof LOCALES): Format {
  const locale = LOCALES[language];
  const month = MONTHS[language];
  const number = new Intl.NumberFormat(locale);
  const score = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const percent = new Intl.NumberFormat(locale, { style: 'percent' });
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month });
  const dayOfYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month, year: 'numeric' });
  const time = new Intl.DateTimeFormat(locale, { day: 'numeric', month, hour: '2-digit', minute: '2-digit' });
  const hour = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });
  const date = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' });
  const full = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'long' });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const unit = (amount: number, name: string) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay: 'long' }).format(amount);
  const isThisYear = (when: string) => new Date(when).getFullYear() === new Date().getFullYear();
  return {
    number: (value) => number.format(value),
    score: (value) => score.format(value),
    percent: (value) => percent.format(value),
    day: (when) => (isThisYear(when) ? day : dayOfYear).format(new Date(when)),
    days: (from, to) =>
      language === 'zh' ? daysInChinese(new Date(from), new Date(to)) : day.formatRange(new Date(from), new Date(to)),
    time: (when) => time.format(new Date(when)),
    hour: (when) => hour.format(new Date(when)),
    date: (when) => date.format(new Date(when)),
    full: (when) => full.format(new Date(when)),
    ago: (when) => {
      const [amount, name] = measured(Date.now() - Date.parse(when));
      return amount === 0 ? relative.format(0, 'second') : relative.format(-amount, name);
    },
    span: (length) => unit(...measured(Math.max(length, MINUTE))),
  };
}

/** 11月9–16日: what Intl makes of a range is figures and slashes. */
function daysInChinese(from: Date, to: Date): string {
  const [first, last] = [from, to].map((one) => `${one.getMonth() + 1}月${one.getDate()}日`) as [string, string];
  if (first === last) return first;
  if (from.getMonth() !== to.getMonth()) return `${first}至${last}`;
  return `${from.getMonth() + 1}月${from.getDate()}–${to.getDate()}日`;
}

function measured(length: number): [number, 'day' | 'hour' | 'minute'] {
  if (length >= DAY) return [Math.floor(length / DAY), 'day'];
  if (length >= HOUR) return [Math.floor(length / HOUR), 'hour'];
  return [Math.floor(length / MINUTE), 'minute'];
}
