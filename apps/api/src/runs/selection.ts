import { isRunId } from '@proctor/contracts';
import type { Requestor, RunSelection } from '@proctor/database';
import { badRequest, Problem } from '../http/problem';
import type { SelectionRequest } from './many-runs.dto';

const SELECTORS = ['run_ids', 'package', 'trigger', 'suite', 'arch'] as const;

/**
 * The runs that a request means; null when it names runs that cannot be.
 * @throws Problem 400 when nothing is selected by; 403 for everyone's without being an administrator
 */
export function selectionOf(asked: SelectionRequest, requestor: Requestor): RunSelection | null {
  const { run_ids: runIds, package: packageName, trigger, suite, arch, everyone } = asked;
  if (SELECTORS.every((key) => asked[key] === undefined)) {
    throw badRequest(`At least one of ${SELECTORS.join(', ')} is needed to say which runs are meant.`);
  }
  if (everyone && !requestor.isAdmin) {
    throw new Problem(403, 'everyone is for administrators; without it, runs of the own key are meant.');
  }
  const possible = runIds?.filter(isRunId);
  if (possible?.length === 0) return null;
  return {
    ...(possible && { runIds: [...new Set(possible)] }),
    ...(packageName !== undefined && { package: packageName }),
    ...(trigger !== undefined && { trigger }),
    ...(suite !== undefined && { suite }),
    ...(arch !== undefined && { arch }),
    ...(!everyone && { keyId: requestor.keyId }),
  };
}
