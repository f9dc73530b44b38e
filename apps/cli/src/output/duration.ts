import { InvalidArgumentError } from 'commander';

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** Reads a length of time that was typed as an option, and returns seconds: `90`, `30s`, `10m`, `2h`, `1d`. */
export function readDuration(text: string): number {
  const [, count, unit = 's'] = /^(\d{1,9}(?:\.\d{1,3})?)([smhd]?)$/.exec(text) ?? [];
  if (count === undefined)
    throw new InvalidArgumentError('It must be a length of time such as 30s, 10m, 2h or 1d.');
  return Number(count) * SECONDS[(unit || 's') as keyof typeof SECONDS];
}

/** Reads a moment that was typed, and returns UNIX seconds: how long ago, an ISO 8601 date or time, or UNIX seconds. */
export function readMoment(text: string, now = Date.now()): number {
  if (/^\d{10,}(\.\d+)?$/.test(text)) return Number(text);
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  if (Number.isFinite(time)) return time / 1000;
  if (/^\d+(\.\d+)?[smhd]$/.test(text)) return Math.floor(now / 1000 - readDuration(text));
  throw new InvalidArgumentError('It must be how long ago (2h, 1d), a date (2026-11-20) or UNIX seconds.');
}
