import type { TriggerTest } from '../../runs/trigger-groups';

/** The page names at most this many errors that several tests share. In the table of packages each has a letter. */
export const ERROR_LETTERS = 'ABCDEFGHIJ';

/** Tests of a group that fail with the same first error. */
export interface SharedError {
  signature: string;
  count: number;
  /** One of the runs with this error. */
  runId: number;
}

/** Errors that several tests share, the most frequent first. */
export function sharedErrors(tests: TriggerTest[]): SharedError[] {
  const errors = new Map<string, SharedError>();
  for (const { run } of tests) {
    const { errorSignature: signature, runId } = run;
    if (signature === null) continue;
    const error = errors.get(signature);
    if (error) error.count += 1;
    else errors.set(signature, { signature, count: 1, runId });
  }
  return [...errors.values()]
    .filter(({ count }) => count > 1)
    .sort((a, b) => b.count - a.count)
    .slice(0, ERROR_LETTERS.length);
}
