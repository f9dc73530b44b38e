import type { ApiConfiguration } from '../configuration.token';
import { describe, Problem, refused } from '../http/problem';
import type { Parameter } from '../http/parameters';

/** An integer that a number can tell exactly. */
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
