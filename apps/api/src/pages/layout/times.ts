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

const SPANS: [seconds: number, name: string][] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
];

/** A duration in words, rounded to the largest unit that fits at least one and a half times: `4 days`, `80 minutes`. */
export function spanOf(ms: number): string {
  const seconds = Math.max(0, ms / 1_000);
  const [unit, name] = SPANS.find(([length]) => seconds >= 1.5 * length) ?? [1, 'second'];
  const count = Math.round(seconds / unit);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** A duration in its two largest units: `under a second`, `12 s`, `1 min 5 s`, `2 h 3 min`. */
export function secondsInWords(seconds: number): string {
  if (seconds < 1) return 'under a second';
  const [hours, minutes, rest] = [
    Math.floor(seconds / 3_600),
    Math.floor(seconds / 60) % 60,
    Math.floor(seconds % 60),
  ];
  const parts =
    hours > 0
      ? [
          [hours, 'h'],
          [minutes, 'min'],
        ]
      : [
          [minutes, 'min'],
          [rest, 's'],
        ];
  return parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}`])).join(' ');
}
