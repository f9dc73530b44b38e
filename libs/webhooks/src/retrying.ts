import { growingPauseMs } from '@proctor/pauses';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Between an attempt that failed and the next; after the last, a delivery is given up. */
const DELAYS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

export const ATTEMPTS_MAX = DELAYS_MS.length + 1;

/** A delay is longer by up to this part of it, so that what failed together does not come back together. */
const JITTER = 0.2;

/** Longest wait that an answer can ask for. */
const RETRY_AFTER_MAX_MS = DAY;

/** A webhook that fails is left alone, from the first failure on, twice as long after each. */
const PAUSE_MIN_MS = 5 * SECOND;
const PAUSE_MAX_MS = 5 * MINUTE;

/** A webhook of which nothing came through for so long is disabled. */
const FAILING_MAX_MS = 5 * DAY;

/** What came of an attempt. */
export interface Answer {
  /** Null when there was no answer. */
  status: number | null;
  /** As it said. */
  retryAfterMs: number | null;
}

/** `gone`: the webhook is not wanted any more. */
export type AnswerKind = 'delivered' | 'gone' | 'failed';

export function kindOf({ status }: Answer): AnswerKind {
  if (status === null) return 'failed';
  if (status === 410) return 'gone';
  return status >= 200 && status < 300 ? 'delivered' : 'failed';
}

/**
 * How long a delivery waits after an attempt that failed; null when that was the last.
 * @param attempts so far
 * @param random from 0 to 1
 */
export function retryMs(attempts: number, { retryAfterMs }: Answer, random: number): number | null {
  const delayMs = DELAYS_MS[attempts - 1];
  if (delayMs === undefined) return null;
  return Math.max(Math.round(delayMs * (1 + JITTER * random)), retryAfterMs ?? 0);
}

/**
 * How long nothing is sent to a webhook after a failure.
 * @param failures in a row
 */
export function pauseMs(failures: number, { retryAfterMs }: Answer): number {
  return Math.max(growingPauseMs(PAUSE_MIN_MS, PAUSE_MAX_MS, failures), retryAfterMs ?? 0);
}

/** @param failingMs since the first failure after which nothing came through */
export function mustDisable(failingMs: number): boolean {
  return failingMs >= FAILING_MAX_MS;
}

/**
 * What the header `Retry-After` asks for, in seconds or as a date; null for what cannot be read.
 * @param nowMs by the clock of the date
 */
export function retryAfterOf(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  // JavaScript takes much for a date that is none.
  const dateMs = header.endsWith('GMT') ? Date.parse(header) - nowMs : NaN;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * SECOND : dateMs;
  return Number.isNaN(ms) ? null : Math.min(Math.max(0, ms), RETRY_AFTER_MAX_MS);
}
