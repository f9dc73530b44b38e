import { isPackageName, RUN_ID_MAX } from '@proctor/contracts';
import { IsArray, IsBoolean, IsInt, IsOptional, Max } from 'class-validator';
import type { ApiConfiguration } from '../configuration.token';
import { describe, Problem, refused } from '../http/problem';
import { IsArchitectureName, IsReason, IsStorableText, IsStringThat, IsSuiteName, must } from '../http/rules';
import { From, Strict } from '../http/shape';
import { PRIORITY_RANGE, priorityOf } from './priority';
import type { Parameter } from '../http/parameters';

const IDS = must('be an array of ids of runs, or a string of them separated by commas');

/** Which runs are meant: those that match every parameter. */
@Strict()
export class SelectionRequest {
  @From({ read: idsOf })
  @IsOptional()
  @IsArray(IDS)
  @IsInt({ each: true, ...IDS })
  @Max(RUN_ID_MAX, { each: true, ...IDS })
  run_ids?: number[];

  @IsOptional()
  @IsStringThat(isPackageName, must('be the name of a source package'))
  package?: string;

  @IsOptional()
  @IsStorableText(must('be a string without NUL and without lone surrogates'))
  trigger?: string;

  @IsOptional()
  @IsSuiteName()
  suite?: string;

  @IsOptional()
  @IsArchitectureName()
  arch?: string;

  @IsOptional()
  @IsReason()
  reason?: string;

  /** Not only those of the own key. */
  @From({ text: 'boolean' })
  @IsOptional()
  @IsBoolean(must('be true or false'))
  everyone?: boolean;
}

export class PriorityRequest extends SelectionRequest {
  @From({ read: priorityOf, missing: `it is ${PRIORITY_RANGE}` })
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
  @From({ read: runIdsOf, missing: 'it holds ids of runs, separated by commas' })
  run_ids: number[];
}

/** An integer that a number can hold exactly. */
function isInteger(text: string): boolean {
  return /^[+-]?\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text));
}

/**
 * The parameter `run_ids`: integers separated by commas, each once; an empty string names none.
 * @throws Problem 400 for another value; 413 for too many
 */
export function runIdsOf(
  { value, pointer }: Parameter,
  _name: string,
  { itemsPerRequestMax: idsMax }: Pick<ApiConfiguration['server'], 'itemsPerRequestMax'>,
): number[] {
  if (typeof value !== 'string') throw refused(`run_ids must be a string, not ${describe(value)}.`, pointer);
  if (value.trim() === '') return [];
  const tokens = value.split(',').map((token) => token.trim());
  if (tokens.length > idsMax) {
    throw new Problem(413, `run_ids names ${tokens.length} runs; one request may name ${idsMax}.`);
  }
  const wrong = tokens.find((token) => !isInteger(token));
  if (wrong !== undefined)
    throw refused(`run_ids names ${describe(wrong)}, which is no id of a run.`, pointer);
  return [...new Set(tokens.map(Number))];
}
