import type { Clock } from '@proctor/clock';

/** A pause that something else may end early. A wake-up while nobody waits ends the next pause at once. */
export class WakeUp {
  private pending = false;
  private end: (() => void) | null = null;

  constructor(private readonly clock: Clock) {}

  wake(): void {
    this.pending = true;
    this.end?.();
  }

  /** Wake-ups so far are answered by what is done now. */
  forget(): void {
    this.pending = false;
  }

  /** Resolves after `ms` or at a wake-up. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        cancel();
        this.end = null;
        this.pending = false;
        resolve();
      };
      const cancel = this.clock.after(ms, finish);
      this.end = finish;
      if (this.pending) finish();
    });
  }
}

/** The promise's value, or null when it rejects or takes longer than `ms`. */
export function within<T>(clock: Clock, ms: number, promise: Promise<T>): Promise<T | null> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve(null));
    const settle = (value: T | null) => {
      cancel();
      resolve(value);
    };
    promise.then(settle, () => settle(null));
  });
}
