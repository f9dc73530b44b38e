import type { Html } from './html';
import { markup } from './html';

/** A time in words: `2026-11-20 15:40:51 UTC`. */
export function utc(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** A time in UTC; empty for null. */
export function timeHtml(time: Date | null): Html {
  return time ? markup`<time datetime="${time.toISOString()}">${utc(time)}</time>` : markup``;
}

/** A time in UTC, as HTML; empty for null. The script replaces it by its age, `3 days ago`; the title keeps the time. */
export function agoHtml(time: Date | null): Html {
  if (!time) return markup``;
  return markup`<time datetime="${time.toISOString()}" title="${utc(time)}" data-ago>${utc(time)}</time>`;
}

const UNITS: [seconds: number, name: string, inNext: number][] = [
  [86_400, 'd', Infinity],
  [3_600, 'h', 24],
  [60, 'min', 60],
  [1, 's', 60],
];

/** Keeps a duration on one line. */
const NO_BREAK = '\u00a0';

/** A duration in its two largest units: `under a second`, `12 s`, `1 min 5 s`, `2 h 3 min`, `4 d 1 h`. It has no spaces that break. */
export function secondsInWords(seconds: number): string {
  if (seconds < 1) return ['under', 'a', 'second'].join(NO_BREAK);
  const largest = UNITS.findIndex(([length]) => seconds >= length);
  const parts = UNITS.slice(largest, largest + 2).flatMap(([length, name, inNext]) => {
    const count = Math.floor(seconds / length) % inNext;
    return count === 0 ? [] : [`${count}${NO_BREAK}${name}`];
  });
  return parts.join(NO_BREAK);
}

/** An expected duration, in whole minutes and at least one: `about 12 min`, `about 2 h 3 min`. */
export function estimateInWords(seconds: number): string {
  return `about${NO_BREAK}${secondsInWords(Math.max(1, Math.ceil(seconds / 60)) * 60)}`;
}
