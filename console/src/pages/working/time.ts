import type { Entry } from '../../api/types';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** How long an entry still holds, in milliseconds. */
export function leftOf(entry: Entry, now: number): number {
  return entry.expires_at === null ? DAY : Date.parse(entry.expires_at) - now;
}
