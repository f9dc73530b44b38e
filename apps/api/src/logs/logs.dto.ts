import { describe } from '@proctor/contracts';
import { refused } from '../http/problem';
import { From } from '../http/shape';
import type { Parameter } from '../http/parameters';

/** The query of a run's log. */
export class LogQuery {
  /** The latest when it is absent. */
  @From({ read: positiveOf })
  attempt?: number;

  /** Bytes of the log that the client has. */
  @From({ read: countOf })
  offset?: number;
}

function countOf({ value, pointer }: Parameter, name: string): number {
  const text = String(value);
  const count = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(count)) return count;
  throw refused(`${name} must be a whole number of at most 15 digits, not ${describe(text)}.`, pointer);
}

function positiveOf(parameter: Parameter, name: string): number {
  const count = countOf(parameter, name);
  if (count > 0) return count;
  throw refused(`${name} must be 1 or more, not 0.`, parameter.pointer);
}
