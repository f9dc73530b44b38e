import { isPackageName, isRunId, RUN_ID_MAX } from '@proctor/contracts';
import type { Requestor, RunSelection } from '@proctor/database';
import { IsArray, IsBoolean, IsInt, IsOptional, Max } from 'class-validator';
import { badRequest, Problem } from '../http/problem';
import { runIdsOf } from '../publication/run-ids';
import { IsStringThat } from '../shape/is-string-that';
import { IsStorableText } from '../shape/is-storable-text';
import { must } from '../shape/must';
import { booleanOf, readParameters } from '../shape/read-parameters';
import type { Parameter, Parameters } from '../transport/parameters';
import { ScopeShape } from './decision-shapes';
import { IsReason } from './reason';

const IDS = must('be an array of ids of runs, or a string of them separated by commas');

/** Which runs are meant: those that match everything that is said. */
class SelectionShape extends ScopeShape {
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
  @IsReason()
  reason?: string;

  /** Not only those of the own key. */
  @IsOptional()
  @IsBoolean(must('be true or false'))
  everyone?: boolean;
}

const SELECTORS = ['run_ids', 'package', 'trigger', 'suite', 'arch'] as const;
const KEYS = [...SELECTORS, 'reason', 'everyone'];

/** What the parameters of a request about many runs say. */
export interface Selected {
  /** null: it names runs that cannot be. */
  selection: RunSelection | null;
  reason: string | undefined;
}

/**
 * @param idsMax how many ids one request may name
 * @param others parameters that are not about the selection
 * @throws Problem 400 also when nothing is selected by; 403 for everyone's without being an administrator; 413
 */
export function selectionOf(
  parameters: Parameters,
  requestor: Requestor,
  idsMax: number,
  others: string[] = [],
): Selected {
  const asked = new Map([...parameters].filter(([name]) => !others.includes(name)));
  const read = readParameters(SelectionShape, KEYS, asked, {
    run_ids: (parameter) => idsOf(parameter, idsMax),
    everyone: booleanOf,
  });
  const { run_ids: runIds, package: packageName, trigger, suite, arch } = read;
  if (SELECTORS.every((key) => read[key] === undefined)) {
    throw badRequest(`At least one of ${SELECTORS.join(', ')} is needed to say which runs are meant.`);
  }
  if (read.everyone && !requestor.isAdmin) {
    throw new Problem(403, 'everyone is for administrators; without it, runs of the own key are meant.');
  }
  const possible = runIds?.filter(isRunId);
  const selection: RunSelection = {
    ...(possible && { runIds: [...new Set(possible)] }),
    ...(packageName !== undefined && { package: packageName }),
    ...(trigger !== undefined && { trigger }),
    ...(suite !== undefined && { suite }),
    ...(arch !== undefined && { arch }),
    ...(!read.everyone && { keyId: requestor.keyId }),
  };
  return { selection: possible?.length === 0 ? null : selection, reason: read.reason };
}

function idsOf(parameter: Parameter, idsMax: number): unknown {
  const { value } = parameter;
  if (typeof value === 'string') return runIdsOf(parameter, idsMax);
  if (Array.isArray(value) && value.length > idsMax) {
    throw new Problem(413, `run_ids names ${value.length} runs; one request may name ${idsMax}.`);
  }
  return value;
}
