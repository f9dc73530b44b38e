import { describe } from '@proctor/contracts';
import { decimal, Field, OptionalField, whole } from '@proctor/resources';
import type { ApiConfiguration } from '../configuration.token';
import { badRequestAt } from '../http/problem';
import { From } from '../http/shape';
import type { Parameter } from '../http/parameters';

/** Seconds of 9999-12-31T23:59:59Z: later times are no dates of PostgreSQL's or JavaScript's four-digit years. */
const SINCE_MAX = 253_402_300_799;

/** The query of `GET /api/v1/test`. */
export class ResultsQuery {
  @Field(
    decimal({ minimum: 0, maximum: SINCE_MAX, example: 1763653251 }),
    'UNIX time in seconds, decimals allowed.',
  )
  @From({ read: sinceOf, missing: 'it holds a UNIX timestamp in seconds' })
  since: number;

  @OptionalField(
    whole({ minimum: 0, maximum: 60, default: 0, example: 30 }),
    'Holds back an answer without results for so many seconds, until there is one. The deployment may have a lower maximum.',
  )
  @From({ read: waitOf })
  wait?: number;
}

function sinceOf({ value, pointer }: Parameter): number {
  const text = String(value);
  const seconds = /^\d{1,20}(\.\d{1,20})?$/.test(text) ? Number(text) : NaN;
  if (seconds <= SINCE_MAX) return seconds;
  throw badRequestAt(`since must be a UNIX timestamp in seconds, not ${describe(text)}.`, pointer);
}

function waitOf(
  { value, pointer }: Parameter,
  _name: string,
  { waitSecondsMax }: ApiConfiguration['server'],
): number {
  const text = String(value);
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : NaN;
  if (seconds <= waitSecondsMax) return seconds;
  const range = `from 0 to ${waitSecondsMax}`;
  throw badRequestAt(`wait must be a whole number of seconds ${range}, not ${describe(text)}.`, pointer);
}
