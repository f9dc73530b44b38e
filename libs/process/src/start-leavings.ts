import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What a start leaves is used for so long, milliseconds. */
const SETTLED_AFTER_MS = 5_000;

/**
 * Frees once what the start of this program has left, as texts of modules that were compiled. An idle process allocates too
 * little for Node.js to do that by itself.
 */
export function freeStartLeavings(afterMs = SETTLED_AFTER_MS): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    setFlagsFromString('--no-expose-gc');
    collect();
  }, afterMs).unref();
}
