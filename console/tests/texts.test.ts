import { afterEach, describe, expect, it, vi } from 'vitest';
import { diff } from '../src/components/diff';
import { KeySequence } from '../src/hooks/hotkeys';
import { checks } from '../src/messages/checks';
import { formatIn } from '../src/messages/format';
import { langOf } from '../src/messages/language';
import { lineage } from '../src/messages/lineage';
import { cutAt } from '../src/pages/ask/Marked';

describe('a diff of words', () => {
  const told = (before: string, after: string) =>
    diff(before, after)
      .map(({ edit, text }) => ({ same: text, removed: `[-${text}-]`, added: `[+${text}+]` })[edit])
      .join('');

  it('names what went and what came', () => {
    expect(told('It takes sixty minutes.', 'It takes ninety minutes.')).toBe('It takes [-sixty-][+ninety+] minutes.');
    expect(told('same', 'same')).toBe('same');
    expect(told('', 'new')).toBe('[+new+]');
  });

  it('cuts Chinese into words, too', () => {
    expect(
      diff('退款需要经理审批', '退款需要总监审批')
        .filter((run) => run.edit === 'same')
        .map((run) => run.text),
    ).toEqual(['退款需要', '审批']);
  });

  it('gives both texts back, whatever they are', () => {
    const [before, after] = ['a b c d a b', 'b a d c b'];
    const runs = diff(before, after);
    const text = (without: string) =>
      runs
        .filter((run) => run.edit !== without)
        .map((run) => run.text)
        .join('');
    expect([text('added'), text('removed')]).toEqual([before, after]);
  });

  it('does not compare what is very long', () => {
    const long = 'word '.repeat(2_000);
    expect(diff(long, `${long}end`).map((run) => run.edit)).toEqual(['removed', 'added']);
  });
});

describe('key sequences', () => {
  const bound = (name: string) => ['j', 'a', 'd', 'g d'].includes(name);
  const pressed = (...keys: [string, number][]) => {
    const sequence = new KeySequence();
    return keys.map(([key, at]) => sequence.press(key, at, bound));
  };

  it('are one key, or two after each other', () => {
    expect(pressed(['j', 0], ['g', 10], ['d', 20], ['d', 30])).toEqual(['j', undefined, 'g d', 'd']);
  });

  it('are over after a while', () => {
    expect(pressed(['g', 0], ['d', 1_300])).toEqual([undefined, 'd']);
  });

  it('do not take the second key for itself after a g', () => {
    expect(pressed(['g', 0], ['a', 10], ['a', 20])).toEqual([undefined, undefined, 'a']);
  });
});

describe('formats', () => {
  afterEach(() => vi.useRealTimers());
  const MINUTE = 60_000;

  it('round time down, to a minute at least', () => {
    expect(formatIn('en').span(0)).toBe('1 minute');
    expect(formatIn('en').span(119 * MINUTE)).toBe('1 hour');
    expect(formatIn('zh').span(49 * 60 * MINUTE)).toBe('2天');
  });

  it('tell how long ago', () => {
    vi.useFakeTimers({ now: new Date(2026, 2, 10, 12) });
    expect(formatIn('en').ago(new Date(2026, 2, 7, 12).toISOString())).toBe('3 days ago');
    expect(formatIn('en').ago(new Date(2026, 2, 10, 12).toISOString())).toBe('now');
  });

  it('name the year where it is another', () => {
    vi.useFakeTimers({ now: new Date(2026, 2, 10, 12) });
    const { day } = formatIn('en');
    expect([day(new Date(2026, 0, 5).toISOString()), day(new Date(2025, 0, 5).toISOString())]).toEqual([
      '5 Jan',
      '5 Jan 2025',
    ]);
  });

  it('write a range of days as people do', () => {
    const range = (...days: [number, number][]) =>
      days.map(([month, date]) => new Date(2026, month - 1, date, 12).toISOString()) as [string, string];
    expect(formatIn('zh').days(...range([11, 9], [11, 16]))).toBe('11月9–16日');
    expect(formatIn('zh').days(...range([10, 30], [11, 2]))).toBe('10月30日至11月2日');
    expect(formatIn('zh').days(...range([11, 9], [11, 9]))).toBe('11月9日');
  });
});

it('a text has the language of its script', () => {
  expect([langOf('退款需要经理审批'), langOf('The 退款 endpoint'), langOf('')]).toEqual(['zh-Hans', 'en', 'en']);
});

describe('marked words', () => {
  it('are every second part, and begin where a word begins', () => {
    expect(cutAt('The backup backs up, Backup!', ['backup'])).toEqual(['The ', 'backup', ' backs up, ', 'Backup', '!']);
    expect(cutAt('unbackup', ['backup'])).toEqual(['unbackup']);
    expect(cutAt('每日备份需要一小时', ['备份'])).toEqual(['每日', '备份', '需要一小时']);
  });

  it('are no patterns', () => {
    expect(cutAt('a.b and axb (c)', ['a.b', '(c)'])).toEqual(['', 'a.b', ' and axb ', '(c)', '']);
    expect(cutAt('as it is', [])).toEqual(['as it is']);
  });
});

it('names that come from the server are there in both languages', () => {
  expect(Object.keys(checks.zh.names)).toEqual(Object.keys(checks.en.names));
  expect(Object.keys(lineage.zh.actions)).toEqual(Object.keys(lineage.en.actions));
});
