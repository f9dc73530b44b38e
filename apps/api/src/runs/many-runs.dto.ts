import { isPackageName, RUN_ID_MAX } from '@proctor/contracts';
import { IsArray, IsBoolean, IsInt, IsOptional, Max } from 'class-validator';
import type { ApiConfiguration } from '../configuration.token';
import { Problem } from '../http/problem';
import { runIdsOf } from './run-ids';
import {
  IsArchitectureName,
  IsReason,
  IsStorableText,
  IsStringThat,
  IsSuiteName,
  must,
} from '../http/rules';
import { From, Strict } from '../http/shape';
import { PRIORITY_RANGE, priorityOf } from './priority';
import type { Parameter } from '../http/parameters';

const IDS = must('be an array of ids of runs, or a string of them separated by commas');

/** Which runs are meant: those that match everything that is said. */
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
