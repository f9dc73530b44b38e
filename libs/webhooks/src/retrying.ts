import { growingPauseMs } from '@proctor/pauses';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The delays between a failed attempt and the next; after the last one, a delivery is given up. */
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

/**
 * A random part of each delay, at most this one, is added to it, so that deliveries that failed together are not
 * repeated together.
 */
const JITTER = 0.2;

/** The longest delay that an answer can request. */
const RETRY_AFTER_MAX_MS = DAY;

/** How long a webhook gets nothing after its first failure; twice as long after each further one. */
const PAUSE_MIN_MS = 5 * SECOND;
const PAUSE_MAX_MS = 5 * MINUTE;

/** A webhook is disabled when every delivery has failed for this long. */
const FAILING_MAX_MS = 5 * DAY;

/** The outcome of an attempt. */
export interface SendingOutcome {
  /** The HTTP status; null if no answer came. */
  status: number | null;
  /** The header `Retry-After` of the answer. */
  retryAfterMs: number | null;
}

/** `gone`: the receiver no longer wants events. */
export type OutcomeKind = 'delivered' | 'gone' | 'failed';

export function kindOf({ status }: SendingOutcome): OutcomeKind {
  if (status === null) return 'failed';
  if (status === 410) return 'gone';
  return status >= 200 && status < 300 ? 'delivered' : 'failed';
}

/**
 * The delay of a delivery after a failed attempt; null if that was the last one.
 * @param attempts how many attempts have failed
 * @param random from 0 to 1
 */
export function retryMs(attempts: number, { retryAfterMs }: SendingOutcome, random: number): number | null {
  const delayMs = DELAYS_MS[attempts - 1];
  if (delayMs === undefined) return null;
  return Math.max(Math.round(delayMs * (1 + JITTER * random)), retryAfterMs ?? 0);
}

/**
 * How long nothing is sent to a webhook after a failure.
 * @param failures how many attempts in a row have failed, the last one included
 */
export function pauseMs(failures: number, { retryAfterMs }: SendingOutcome): number {
  return Math.max(growingPauseMs(PAUSE_MIN_MS, PAUSE_MAX_MS, failures), retryAfterMs ?? 0);
}

/** @param failingMs the time since the first failure after the last success */
export function mustDisable(failingMs: number): boolean {
  return failingMs >= FAILING_MAX_MS;
}

/**
 * The delay that the header `Retry-After` requests, in seconds or as a date; null when it cannot be read.
 * @param nowMs the present UNIX time; a date in the header is compared with it
 */
export function retryAfterOf(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  // JavaScript accepts many texts that are not a date.
  const dateMs = header.endsWith('GMT') ? Date.parse(header) - nowMs : NaN;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * SECOND : dateMs;
  return Number.isNaN(ms) ? null : Math.min(Math.max(0, ms), RETRY_AFTER_MAX_MS);
}
