import {
  describe,
  isPackageName,
  isWord,
  RUN_STATES,
  Strict,
  type RunState,
  type Verdict,
  VERDICTS,
} from '@proctor/contracts';
import type { ApiConfiguration } from '../configuration.token';
import { refused } from '../http/problem';
import type { Parameter } from '../http/parameters';
import { From } from '../http/shape';

export const RUNS_PER_PAGE = 50;
const RUNS_PER_PAGE_MAX = 500;
const NAME_LENGTH_MAX = 1_000;

/** The query of `GET /api/v1/runs`: which runs are listed. */
@Strict()
export class RunListQuery {
  @From({ read: named('the name of a package, with * for anything', isPackagePattern) })
  package?: string;

  @From({ read: named('the name of a suite', isWord) })
  suite?: string;

  @From({ read: named('the name of an architecture', isWord) })
  arch?: string;

  /** Verdicts: `pass` stands for neutral runs too where the deployment shows them so. */
  @From({ read: statusesOf })
  status?: Verdict[];

  @From({ read: statesOf })
  state?: RunState[];

  @From({ read: named('a trigger', (text) => text !== '') })
  trigger?: string;

  @From({ read: named('the name of a user', (text) => text !== '') })
  requestor?: string;

  /** UNIX seconds. */
  @From({ read: timeOf })
  since?: Date;

  /** The last run of the page before. */
  @From({ read: numberOf('the id of a run', Number.MAX_SAFE_INTEGER) })
  before?: number;

  @From({ read: numberOf(`a whole number from 1 to ${RUNS_PER_PAGE_MAX}`, RUNS_PER_PAGE_MAX) })
  limit?: number;
}

/** The query of `GET /api/v1/compare`: ids of two runs. */
@Strict()
export class ComparisonQuery {
  /** When absent, the last run before `b` that passed on the same place with the same pins. */
  @From({ read: numberOf('the id of a run', Number.MAX_SAFE_INTEGER) })
  a?: number;

  @From({ read: numberOf('the id of a run', Number.MAX_SAFE_INTEGER), missing: 'it holds the id of a run' })
  b: number;
}

function isPackagePattern(text: string): boolean {
  return isPackageName(text) || (text.includes('*') && /^[a-z0-9+.*-]{1,200}$/.test(text));
}

export function named(what: string, isName: (text: string) => boolean) {
  return ({ value, pointer }: Parameter, name: string): string => {
    if (
      typeof value === 'string' &&
      value.length <= NAME_LENGTH_MAX &&
      !value.includes('\0') &&
      isName(value)
    )
      return value;
    throw refused(`${name} must be ${what}, not ${describe(value)}.`, pointer);
  };
}

export function statusesOf(
  parameter: Parameter,
  name: string,
  { neutral }: ApiConfiguration['server'],
): Verdict[] {
  const verdicts = wordsOf(VERDICTS, parameter, name);
  return neutral === 'pass' && verdicts.includes('pass') ? [...verdicts, 'neutral'] : verdicts;
}

function statesOf(parameter: Parameter, name: string): RunState[] {
  return wordsOf(RUN_STATES, parameter, name);
}

/** Words of a list, separated by commas. */
export function wordsOf<Word extends string>(
  words: readonly Word[],
  { value, pointer }: Parameter,
  name: string,
): Word[] {
  const given = String(value).split(',');
  const found = words.filter((word) => given.includes(word));
  if (given.every((word) => found.includes(word as Word))) return found;
  throw refused(`${name} must be of ${words.join(', ')}, not ${describe(value)}.`, pointer);
}

function timeOf({ value, pointer }: Parameter): Date {
  const text = String(value);
  const seconds = /^\d{1,12}(\.\d{1,6})?$/.test(text) ? Number(text) : NaN;
  if (seconds < 253_402_300_800) return new Date(seconds * 1_000);
  throw refused(`since must be a UNIX timestamp in seconds, not ${describe(text)}.`, pointer);
}

export function numberOf(what: string, most: number) {
  return ({ value, pointer }: Parameter, name: string): number => {
    const number = /^[1-9]\d{0,15}$/.test(String(value)) ? Number(value) : NaN;
    if (number <= most) return number;
    throw refused(`${name} must be ${what}, not ${describe(value)}.`, pointer);
  };
}
