import { errorSignature } from '@proctor/contracts';
import type { RunError } from '@proctor/dispatch';

/** The first error of a log that has this line alone. */
export function runError(line: string): RunError {
  const excerpt = { firstLine: 1, errorLine: 1, lines: [line] };
  return { signature: errorSignature(excerpt), excerpt };
}
