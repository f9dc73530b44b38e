/**
 * How long to wait before something is tried again, in milliseconds.
 * @param inARow how often it has failed since it last succeeded, from 1 on: the pause doubles with each, up to `maxMs`
 */
export function growingPauseMs(firstMs: number, maxMs: number, inARow: number): number {
  return Math.min(firstMs * 2 ** (inARow - 1), maxMs);
}
