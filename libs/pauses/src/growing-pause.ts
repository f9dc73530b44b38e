/**
 * How long to wait before something is tried again, in milliseconds: the one formula of ours.
 * @param inARow how often it has failed since it last succeeded, from 1 on: the pause doubles with each, up to `maxMs`
 */
export function growingPauseMs(firstMs: number, maxMs: number, inARow: number): number {
  return Math.min(firstMs * 2 ** Math.max(0, inARow - 1), maxMs);
}

/** So that those who failed together do not come back together. */
const SCATTER = 0.2;

/**
 * Between 80 % and 120 % of a pause.
 * @param random from 0 up to 1
 */
export function scatterPause(ms: number, random: number): number {
  return ms * (1 - SCATTER + 2 * SCATTER * random);
}
