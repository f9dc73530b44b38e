import { isStorable } from '@proctor/contracts';
import { describe, refused } from '../http/problem';
import type { Parameter } from '../transport/parameters';

/**
 * The parameter `backend`: undefined when absent, empty for packages without one.
 * @throws Problem 400 for what the database could not even look for
 */
export function backendFilter(parameter: Parameter | undefined): string | undefined {
  if (!parameter) return undefined;
  const { value, pointer } = parameter;
  if (typeof value === 'string' && isStorable(value)) return value;
  throw refused(`backend must be the name of a backend, not ${describe(value)}.`, pointer);
}
