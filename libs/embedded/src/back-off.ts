const FIRST_DELAY_MS = 1_000;
const DELAY_MAX_MS = 30_000;
const STABLE_MS = 60_000;

/** How long to wait before something that ended is started again: 1 s, doubling to 30 s, from 1 s again after a stable minute. */
export class BackOff {
  private nextMs = FIRST_DELAY_MS;

  /** @param ranMs how long it ran before it ended; 0 when it did not even start */
  delayAfter(ranMs: number): number {
    if (ranMs >= STABLE_MS) this.nextMs = FIRST_DELAY_MS;
    const delayMs = this.nextMs;
    this.nextMs = Math.min(delayMs * 2, DELAY_MAX_MS);
    return delayMs;
  }
}
