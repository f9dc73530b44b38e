import { describe, Problem, refused } from '../http/problem';
import type { Parameter } from '../transport/parameters';

/** An integer that a number can tell exactly. */
function isInteger(text: string): boolean {
  return /^[+-]?\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text));
}

/**
 * The parameter `run_ids`: integers separated by commas, each once; an empty string names none.
 * @throws Problem 400 for a missing or other value; 413 for more than `idsMax`
 */
export function runIdsOf(parameter: Parameter | undefined, idsMax: number): number[] {
  if (!parameter) throw refused('run_ids is missing: it holds ids of runs, separated by commas.', null);
  const { value, pointer } = parameter;
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
