import {
  OptionalField,
  flag,
  sentAs,
  oneOf,
  listOf,
  text,
  TEST_GROUP,
  TRIGGER_GROUPS,
  type TriggerGroup,
  RUN_ID,
  REASON,
  Description,
  whole,
  withExample,
} from '@proctor/resources';
import { describe, isWord, Strict } from '@proctor/contracts';
import type { ApiConfiguration } from '../configuration.token';
import { Problem, badRequestAt } from '../http/problem';
import type { Parameter } from '../http/parameters';
import { idOf, validName, someOf, text as textOf, wholeNumber } from '../http/parameter-values';
import { From } from '../http/shape';
import { runIdsOf } from './changes.dto';
import type { TriggerSelection } from './trigger-plan';

export const TESTS_PER_PAGE = 500;
const TESTS_PER_PAGE_MAX = 5_000;
export const TRIGGERS_PER_PAGE = 50;
const TRIGGERS_PER_PAGE_MAX = 100;
const QUERY_LENGTH_MAX = 200;
const SIGNATURE = /^[0-9a-f]{1,64}$/;

/** Selects tests of a trigger. */
export class TestSelection {
  @OptionalField(
    sentAs<TriggerGroup[]>(oneOf(listOf(TEST_GROUP), text())),
    'Groups, as a list or separated by commas.',
  )
  @From({ read: someOf(TRIGGER_GROUPS) })
  group?: TriggerGroup[];

  @OptionalField(text({ example: 'trixie' }))
  @From({ read: validName('the name of a suite', isWord) })
  suite?: string;

  @OptionalField(text({ example: 'amd64' }))
  @From({ read: validName('the name of an architecture', isWord) })
  arch?: string;

  @OptionalField(text({ example: '3f1d7f2e9a0e4c3f' }), 'Only tests with this first error.')
  @From({ read: validName('the signature of an error', (text) => SIGNATURE.test(text)) })
  signature?: string;
}

/** The query of `GET /api/v1/triggers/{trigger}`. */
@Strict()
export class TriggerQuery extends TestSelection {
  @OptionalField(listOf(TEST_GROUP, { example: ['regression', 'unknown'] }), 'Only tests of these groups.')
  declare group?: TriggerGroup[];

  @OptionalField(withExample(RUN_ID, 12), 'Only tests that follow this one.')
  @From({ read: idOf('a run') })
  before?: number;

  @OptionalField(whole({ minimum: 1, maximum: TESTS_PER_PAGE_MAX, default: TESTS_PER_PAGE, example: 500 }))
  @From({ read: wholeNumber(1, TESTS_PER_PAGE_MAX) })
  limit?: number;
}

/** The query of `GET /api/v1/triggers`. */
@Strict()
export class TriggerListQuery {
  @OptionalField(
    text({ maxLength: QUERY_LENGTH_MAX, example: 'glibc' }),
    'A package, or how `package/version` begins: all triggers that begin so, however old. When there is none, a part of the trigger.',
  )
  @From({ read: textOf(QUERY_LENGTH_MAX) })
  query?: string;

  @OptionalField(withExample(RUN_ID, 12), 'Only triggers whose newest run has a lower id.')
  @From({ read: idOf('a run') })
  before?: number;

  @OptionalField(
    whole({ minimum: 1, maximum: TRIGGERS_PER_PAGE_MAX, default: TRIGGERS_PER_PAGE, example: 50 }),
  )
  @From({ read: wholeNumber(1, TRIGGERS_PER_PAGE_MAX) })
  limit?: number;
}

@Description('Tests that match all fields of the request; `group` or `run_ids` is needed.')
@Strict()
export class TriggerRequest extends TestSelection {
  @OptionalField(sentAs<number[]>(oneOf(listOf(RUN_ID), text())), 'Ids, as a list or separated by commas.')
  @From({ read: idsOf })
  run_ids?: number[];

  @From({ text: 'boolean' })
  @OptionalField(flag({ default: false }), 'Changes nothing; the answer says what would be done.')
  dry_run?: boolean;

  @OptionalField(REASON, 'Of a cancellation, for people.')
  reason?: string;
}

export function selectionOf(request: TestSelection & { run_ids?: number[] }): TriggerSelection {
  const { group: groups, suite, arch, signature, run_ids: runIds } = request;
  return { groups, suite, arch, signature, runIds };
}

function idsOf(parameter: Parameter, name: string, server: ApiConfiguration['server']): number[] {
  const { value, pointer } = parameter;
  if (!Array.isArray(value)) return runIdsOf(parameter, name, server);
  if (value.length > server.itemsPerRequestMax)
    throw new Problem(
      413,
      `run_ids names ${value.length} runs; one request may name ${server.itemsPerRequestMax}.`,
    );
  const odd = (value as unknown[]).find((id) => !Number.isSafeInteger(id));
  if (odd === undefined) return value as number[];
  throw badRequestAt(`run_ids must be an array of ids of runs, and ${describe(odd)} is none.`, pointer);
}
