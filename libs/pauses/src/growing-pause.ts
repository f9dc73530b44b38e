/**
 * The pause before something is tried again, in milliseconds: the one formula in Proctor.
 * @param inARow failures since the last success, from 1 on: the pause doubles with each, up to `maxMs`
 */
export function growingPauseMs(firstMs: number, maxMs: number, inARow: number): number {
  return Math.min(firstMs * 2 ** Math.max(0, inARow - 1), maxMs);
}

/** Random, so that processes that failed together do not retry together. */
const SCATTER = 0.2;

/**
 * Between 80 % and 120 % of a pause.
 * @param random from 0 up to 1
 */
export function scatterPause(ms: number, random: number): number {
  return ms * (1 - SCATTER + 2 * SCATTER * random);
}
