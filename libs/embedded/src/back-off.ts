import { growingPauseMs } from '@proctor/pauses';

const FIRST_DELAY_MS = 1_000;
const DELAY_MAX_MS = 30_000;
const STABLE_MS = 60_000;

/**
 * The pause before a process that ended is started again: 1 s, doubling to 30 s, and 1 s again after a stable minute.
 */
export class BackOff {
  private inARow = 0;

  /** @param ranMs how long it ran before it ended; 0 when it did not even start */
  delayAfter(ranMs: number): number {
    this.inARow = ranMs >= STABLE_MS ? 1 : this.inARow + 1;
    return growingPauseMs(FIRST_DELAY_MS, DELAY_MAX_MS, this.inARow);
  }
}
