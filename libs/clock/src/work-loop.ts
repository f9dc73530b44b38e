import type { Clock } from './clock';
import { WakeUp } from './wake-up';

/** Repeats a step until it is stopped. One step runs at a time; `wake` ends the wait for the next. */
export class WorkLoop {
  private readonly wakeUp: WakeUp;
  private isEnded = false;
  private loop: Promise<void> = Promise.resolve();

  /** @param step returns the milliseconds until the next step; it never rejects */
  constructor(
    clock: Clock,
    private readonly step: () => Promise<number>,
  ) {
    this.wakeUp = new WakeUp(clock);
  }

  /** Whether a step should end soon. */
  get isStopped(): boolean {
    return this.isEnded;
  }

  /** @param waitMs how long to wait before the first step */
  start(waitMs = 0): void {
    this.loop = this.run(waitMs);
  }

  /** The next step begins at once, or when the present one has ended. */
  wake(): void {
    this.wakeUp.wake();
  }

  /** A pause within a step, which `stop` ends. */
  pause(ms: number): Promise<void> {
    return this.wakeUp.wait(ms);
  }

  /** Resolves when the present step has ended. */
  stop(): Promise<void> {
    this.isEnded = true;
    this.wakeUp.wake();
    return this.loop;
  }

  private async run(firstWaitMs: number): Promise<void> {
    for (let waitMs = firstWaitMs; !this.isEnded;) {
      if (waitMs > 0) await this.wakeUp.wait(waitMs);
      if (this.isEnded) return;
      this.wakeUp.reset();
      waitMs = await this.step();
    }
  }
}
