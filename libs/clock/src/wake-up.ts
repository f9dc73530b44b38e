import type { Clock } from './clock';

/** A wait that `wake` can end early; one wait at a time. A wake-up without a wait ends the next wait at once. */
export class WakeUp {
  private pending = false;
  private end: (() => void) | null = null;

  constructor(private readonly clock: Clock) {}

  wake(): void {
    this.pending = true;
    this.end?.();
  }

  /** Ignores the wake-ups so far: the caller handles them now. */
  reset(): void {
    this.pending = false;
  }

  /** Resolves after `ms` or at a wake-up; null: at a wake-up only. */
  wait(ms: number | null): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        cancel();
        this.end = null;
        this.pending = false;
        resolve();
      };
      const cancel = ms === null ? () => undefined : this.clock.after(Math.max(0, ms), finish);
      this.end = finish;
      if (this.pending) finish();
    });
  }

  /** Like wait, but earlier wake-ups do not end it. */
  waitFromNow(ms: number): Promise<void> {
    this.reset();
    return this.wait(ms);
  }
}
