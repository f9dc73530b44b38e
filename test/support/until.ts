import { setTimeout as delay } from 'node:timers/promises';

const LOOK_EVERY_MS = 50;

/** Polls what another process changes without a signal. @returns whether it came true in time */
export async function until(condition: () => Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > end) return false;
    await delay(LOOK_EVERY_MS);
  }
  return true;
}
