import {
  Description,
  Field,
  OptionalField,
  RUN_IDS,
  flag,
  oneOf,
  optionSchema,
  sentAs,
  text,
} from '@proctor/resources';
import { Selection } from '@proctor/administration';
import { describe } from '@proctor/contracts';
import type { ApiConfiguration } from '../configuration.token';
import { Problem, badRequestAt } from '../http/problem';
import { From } from '../http/shape';
import { PRIORITY_RANGE, priorityOf } from './priority';
import type { Parameter } from '../http/parameters';

/** The selection of runs in a request. */
export class SelectionRequest extends Selection {
  @From({ read: idsOf })
  declare run_ids?: number[];

  @From({ text: 'boolean' })
  @OptionalField(
    flag({ default: false }),
    'For administrators, not only the runs of this key. In a form the text `true` or `false`.',
  )
  everyone?: boolean;

  @From({ text: 'boolean' })
  @OptionalField(
    flag({ default: false }),
    'Nothing is changed; the answer says what would be. In a form the text `true` or `false`.',
  )
  dry_run?: boolean;
}

@Description('A selection, and the priority that its waiting runs are given.')
export class PriorityRequest extends SelectionRequest {
  @From({ read: priorityOf, missing: `it is ${PRIORITY_RANGE}` })
  @Field(sentAs<number>(oneOf(optionSchema('priority'), text({ pattern: '^([1-9]|10)$' }))))
  priority: number;
}

function idsOf(parameter: Parameter, name: string, server: ApiConfiguration['server']): unknown {
  const { value } = parameter;
  if (typeof value === 'string') return runIdsOf(parameter, name, server);
  if (Array.isArray(value) && value.length > server.itemsPerRequestMax) {
    const idsMax = server.itemsPerRequestMax;
    throw new Problem(413, `run_ids names ${value.length} runs; one request may name ${idsMax}.`);
  }
  return value;
}

export class PublicationRequest {
  /** debci also accepts `run_ids[]`, once for each run. */
  @Field(sentAs<number[]>(RUN_IDS), '`run_ids[]` may be given instead, once for each run.')
  @From({ read: listedRunIdsOf, alias: 'run_ids[]', missing: 'it holds ids of runs, separated by commas' })
  run_ids: number[];
}

function listedRunIdsOf(parameter: Parameter, name: string, server: ApiConfiguration['server']): number[] {
  const { value } = parameter;
  const isListed = name.endsWith('[]') && Array.isArray(value);
  return runIdsOf(isListed ? { ...parameter, value: value.join(',') } : parameter, name, server);
}

/** An integer that a number can represent exactly. */
function isInteger(text: string): boolean {
  return /^[+-]?\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text));
}

/**
 * The parameter `run_ids`: integers separated by commas, without repetition; an empty string has none.
 * @throws Problem 400 for another value; 413 for too many ids
 */
export function runIdsOf(
  { value, pointer }: Parameter,
  _name: string,
  { itemsPerRequestMax: idsMax }: Pick<ApiConfiguration['server'], 'itemsPerRequestMax'>,
): number[] {
  if (typeof value !== 'string')
    throw badRequestAt(`run_ids must be a string, not ${describe(value)}.`, pointer);
  if (value.trim() === '') return [];
  const tokens = value.split(',').map((token) => token.trim());
  if (tokens.length > idsMax) {
    throw new Problem(413, `run_ids names ${tokens.length} runs; one request may name ${idsMax}.`);
  }
  const wrong = tokens.find((token) => !isInteger(token));
  if (wrong !== undefined)
    throw badRequestAt(`run_ids names ${describe(wrong)}, which is no id of a run.`, pointer);
  return [...new Set(tokens.map(Number))];
}
