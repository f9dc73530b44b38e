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
import {
  decimal,
  Field,
  listOf,
  OptionalField,
  RUN_ID,
  sentAs,
  text,
  whole,
  withExample,
  words,
} from '@proctor/resources';
import type { ApiConfiguration } from '../configuration.token';
import { badRequestAt } from '../http/problem';
import type { Parameter } from '../http/parameters';
import { idOf, validName, someOf, wholeNumber } from '../http/parameter-values';
import { From } from '../http/shape';
import { endWord } from './result-object';

export const RUNS_PER_PAGE = 50;
const RUNS_PER_PAGE_MAX = 500;

/** The query of `GET /api/v1/runs`. */
@Strict()
export class RunListQuery {
  @OptionalField(
    text({ pattern: '^[a-z0-9+.*-]{1,200}$', example: 'hello' }),
    'The name of a package. With `*`, which stands for anything, each answer is found among the newest 50,000 runs before `before` that the key may see: it may have few results, or none, while its own `before` is not null yet.',
  )
  @From({ read: validName('the name of a package, with * for anything', isPackagePattern) })
  package?: string;

  @OptionalField(text({ example: 'trixie' }))
  @From({ read: validName('the name of a suite', isWord) })
  suite?: string;

  @OptionalField(text({ example: 'amd64' }))
  @From({ read: validName('the name of an architecture', isWord) })
  arch?: string;

  @OptionalField(
    listOf(words(VERDICTS), { example: ['fail', 'tmpfail'] }),
    'How the run ended. `pass` also means `neutral` where the deployment says `pass` for it. `fail` does not mean `absent`, whose `status` is the same.',
  )
  @From({ read: statusesOf })
  status?: Verdict[];

  @OptionalField(listOf(words(RUN_STATES), { example: ['finished'] }))
  @From({ read: someOf(RUN_STATES) })
  state?: RunState[];

  @OptionalField(
    text({ example: 'glibc/2.40-4' }),
    'Words separated by spaces; the trigger must contain all of them.',
  )
  @From({ read: validName('a trigger', (text) => text !== '') })
  trigger?: string;

  @OptionalField(text({ example: 'alice' }), 'The user who asked.')
  @From({ read: validName('the name of a user', (text) => text !== '') })
  requestor?: string;

  @OptionalField(
    sentAs<Date>(decimal({ minimum: 0, example: 1763650851 })),
    'UNIX seconds; only runs that were created, finished or published then or later.',
  )
  @From({ read: timeOf })
  since?: Date;

  @OptionalField(withExample(RUN_ID, 12), 'Only runs of lower ids.')
  @From({ read: idOf('a run') })
  before?: number;

  @OptionalField(whole({ minimum: 1, maximum: RUNS_PER_PAGE_MAX, default: RUNS_PER_PAGE, example: 50 }))
  @From({ read: wholeNumber(1, RUNS_PER_PAGE_MAX) })
  limit?: number;
}

/** The query of `GET /api/v1/compare`: ids of two runs. */
@Strict()
export class ComparisonQuery {
  @OptionalField(
    withExample(RUN_ID, 12),
    'If it is left out: the last run before `b` that passed on the same suite and architecture with the same pins.',
  )
  @From({ read: idOf('a run') })
  a?: number;

  @Field(withExample(RUN_ID, 14))
  @From({ read: idOf('a run'), missing: 'it holds the id of a run' })
  b: number;
}

function isPackagePattern(text: string): boolean {
  return isPackageName(text) || (text.includes('*') && /^[a-z0-9+.*-]{1,200}$/.test(text));
}

/** The requested verdicts, and those with the same word on pages. */
export function statusesOf(
  parameter: Parameter,
  name: string,
  { neutral }: ApiConfiguration['server'],
): Verdict[] {
  const choices = someOf(VERDICTS)(parameter, name);
  return VERDICTS.filter(
    (verdict) => choices.includes(verdict) || choices.includes(endWord(verdict, neutral) ?? verdict),
  );
}

function timeOf({ value, pointer }: Parameter): Date {
  const text = String(value);
  const seconds = /^\d{1,12}(\.\d{1,6})?$/.test(text) ? Number(text) : NaN;
  if (seconds < 253_402_300_800) return new Date(seconds * 1_000);
  throw badRequestAt(`since must be a UNIX timestamp in seconds, not ${describe(text)}.`, pointer);
}
