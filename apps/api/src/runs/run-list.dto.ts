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
import { idOf, named, someOf, wholeNumber } from '../http/parameter-values';
import { From } from '../http/shape';
import { endWord } from './result-object';

export const RUNS_PER_PAGE = 50;
const RUNS_PER_PAGE_MAX = 500;

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

  @From({ read: someOf(RUN_STATES) })
  state?: RunState[];

  @From({ read: named('a trigger', (text) => text !== '') })
  trigger?: string;

  @From({ read: named('the name of a user', (text) => text !== '') })
  requestor?: string;

  /** UNIX seconds. */
  @From({ read: timeOf })
  since?: Date;

  /** The last run of the page before. */
  @From({ read: idOf('a run') })
  before?: number;

  @From({ read: wholeNumber(1, RUNS_PER_PAGE_MAX) })
  limit?: number;
}

/** The query of `GET /api/v1/compare`: ids of two runs. */
@Strict()
export class ComparisonQuery {
  /** When absent, the last run before `b` that passed on the same place with the same pins. */
  @From({ read: idOf('a run') })
  a?: number;

  @From({ read: idOf('a run'), missing: 'it holds the id of a run' })
  b: number;
}

function isPackagePattern(text: string): boolean {
  return isPackageName(text) || (text.includes('*') && /^[a-z0-9+.*-]{1,200}$/.test(text));
}

/** The verdicts that are asked for, with those that pages show under the same word. */
export function statusesOf(
  parameter: Parameter,
  name: string,
  { neutral }: ApiConfiguration['server'],
): Verdict[] {
  const asked = someOf(VERDICTS)(parameter, name);
  return VERDICTS.filter(
    (verdict) => asked.includes(verdict) || asked.includes(endWord(verdict, neutral) ?? verdict),
  );
}

function timeOf({ value, pointer }: Parameter): Date {
  const text = String(value);
  const seconds = /^\d{1,12}(\.\d{1,6})?$/.test(text) ? Number(text) : NaN;
  if (seconds < 253_402_300_800) return new Date(seconds * 1_000);
  throw refused(`since must be a UNIX timestamp in seconds, not ${describe(text)}.`, pointer);
}
