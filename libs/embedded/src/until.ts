import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 25;

/** Polls a condition for which the system has no event. @returns whether it became true in time */
export async function until(
  condition: () => boolean | Promise<boolean>,
  timeoutMs: number,
): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > end) return false;
    await delay(POLL_MS);
  }
  return true;
}
