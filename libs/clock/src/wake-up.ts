import type { Clock } from './clock';

/** A wait that something else may end early; one at a time. A wake-up while there is no wait ends the next wait at once. */
export class WakeUp {
  private pending = false;
  private end: (() => void) | null = null;

  constructor(private readonly clock: Clock) {}

  wake(): void {
    this.pending = true;
    this.end?.();
  }

  /** Wake-ups so far are answered by what is done now. */
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

  /** The same, but only a wake-up from now on ends it. */
  waitFromNow(ms: number): Promise<void> {
    this.reset();
    return this.wait(ms);
  }
}
