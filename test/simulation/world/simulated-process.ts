import type { Clock } from '@proctor/clock';

/** An operating system's process: it may be frozen (SIGSTOP) and thawed, or killed. */
export class SimulatedProcess {
  /** Timers of a frozen process fire when it is thawed, those of a dead one never. */
  readonly clock: Clock;
  private frozen = false;
  private dead = false;
  private waiting: (() => void)[] = [];

  constructor(
    readonly name: string,
    world: Clock,
  ) {
    this.clock = {
      now: () => world.now(),
      after: (ms, action) => {
        let cancelled = false;
        const cancel = world.after(ms, () => this.run(() => cancelled || action()));
        return () => {
          cancelled = true;
          cancel();
        };
      },
    };
  }

  get isRunning(): boolean {
    return !this.frozen && !this.dead;
  }

  /** Does it now, at the thaw, or never. */
  run(action: () => void): void {
    if (this.dead) return;
    if (this.frozen) this.waiting.push(action);
    else action();
  }

  /** What came from outside reaches the process only while it runs. */
  gate<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(
        (value) => this.run(() => resolve(value)),
        (error: Error) => this.run(() => reject(error)),
      );
    });
  }

  freeze(): void {
    this.frozen = true;
  }

  thaw(): void {
    this.frozen = false;
    for (const action of this.waiting.splice(0)) this.run(action);
  }

  kill(): void {
    this.dead = true;
    this.waiting = [];
  }
}
