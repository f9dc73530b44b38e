import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** After this time the memory of the start is no longer used, milliseconds. */
const SETTLED_AFTER_MS = 5_000;

/**
 * Frees once the memory that the start of this program has left, for example texts of compiled modules. An idle process
 * allocates too little for Node.js to free it by itself.
 */
export function freeStartLeavings(afterMs = SETTLED_AFTER_MS): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    setFlagsFromString('--no-expose-gc');
    collect();
  }, afterMs).unref();
}
