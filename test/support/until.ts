import { setTimeout as delay } from 'node:timers/promises';

const LOOK_EVERY_MS = 50;
/** Longer than anything takes on a machine that does everything at once; shorter than the patience of jest. */
export const PATIENCE_MS = 240_000;

/** Polls what another process changes without a signal. @returns whether it came true in time */
export async function until(
  condition: () => Promise<boolean>,
  timeoutMs: number = PATIENCE_MS,
): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > end) return false;
    await delay(LOOK_EVERY_MS);
  }
  return true;
}
