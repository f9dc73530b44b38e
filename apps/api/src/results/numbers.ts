import { runIdIn } from '@proctor/contracts';
import { describe, notFound, refused } from '../http/problem';
import type { Parameter } from '../transport/parameters';

/** Seconds of 9999-12-31T23:59:59Z: later times are no dates of PostgreSQL's or JavaScript's four-digit years. */
const SINCE_MAX = 253_402_300_799;

/** @throws Problem 404 for what cannot be the id of a run */
export function runIdOf(text: string): number {
  const id = runIdIn(text);
  if (id !== null) return id;
  throw noSuchRun(text);
}

/** Also the answer for a run that the client may not see: its existence is not told. */
export function noSuchRun(id: number | string) {
  return notFound(`There is no run ${typeof id === 'number' ? id : describe(id)}.`);
}

/**
 * The query parameter `since`, UNIX seconds with or without a fraction.
 * @throws Problem 400
 */
export function sinceOf(parameter: Parameter | undefined): number {
  if (!parameter) throw refused('since is missing: it holds a UNIX timestamp in seconds.', null);
  const text = String(parameter.value);
  const seconds = /^\d{1,20}(\.\d{1,20})?$/.test(text) ? Number(text) : NaN;
  if (seconds <= SINCE_MAX) return seconds;
  throw refused(`since must be a UNIX timestamp in seconds, not ${describe(text)}.`, parameter.pointer);
}

/**
 * The query parameter `wait`: for how many whole seconds an answer without results may be held back; 0 when absent.
 * @throws Problem 400
 */
export function waitOf(parameter: Parameter | undefined, secondsMax: number): number {
  if (!parameter) return 0;
  const text = String(parameter.value);
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : NaN;
  if (seconds <= secondsMax) return seconds;
  const range = `from 0 to ${secondsMax}`;
  throw refused(`wait must be a whole number of seconds ${range}, not ${describe(text)}.`, parameter.pointer);
}
