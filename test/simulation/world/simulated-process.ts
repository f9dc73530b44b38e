import type { Clock } from '@proctor/clock';

/** No timer is shorter: one that is lost in the rounding of the world's time would fire for ever at the same moment. */
const TICK_MS = 0.001;

/**
 * An operating system's process: it may be frozen (SIGSTOP) and thawed, suspended together with its clock (a virtual
 * machine's) and resumed, or killed.
 */
export class SimulatedProcess {
  /** Timers of a frozen process fire when it is thawed, those of a dead one never. */
  readonly clock: Clock;
  /** How often it was frozen or suspended. */
  stops = 0;
  private frozen = false;
  private dead = false;
  /** How far its clock is behind the world's. */
  private behindMs = 0;
  private suspendedAtMs: number | null = null;
  private waiting: (() => void)[] = [];

  constructor(
    readonly name: string,
    private readonly world: Clock,
  ) {
    this.clock = {
      now: () => world.now() - this.behindMs,
      after: (ms, action) => this.after(ms, action),
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
    this.stops += 1;
    this.frozen = true;
  }

  /** Its clock stands still until it is thawed: afterwards it does not know that time has passed. */
  suspend(): void {
    this.freeze();
    this.suspendedAtMs ??= this.world.now();
  }

  thaw(): void {
    if (this.suspendedAtMs !== null) this.behindMs += this.world.now() - this.suspendedAtMs;
    this.suspendedAtMs = null;
    this.frozen = false;
    for (const action of this.waiting.splice(0)) this.run(action);
  }

  kill(): void {
    this.dead = true;
    this.waiting = [];
  }

  /** Calls `action` after `ms` by the process's own clock: time in which that clock stands still does not count. */
  private after(ms: number, action: () => void): () => void {
    const dueMs = this.clock.now() + ms;
    let cancelled = false;
    let cancel = (): void => undefined;
    const fire = (): void => {
      const leftMs = dueMs - this.clock.now();
      if (leftMs > TICK_MS) arm(leftMs);
      else if (!cancelled) action();
    };
    const arm = (leftMs: number): void => {
      cancel = this.world.after(leftMs > 0 ? Math.max(leftMs, TICK_MS) : 0, () => this.run(fire));
    };
    arm(ms);
    return () => {
      cancelled = true;
      cancel();
    };
  }
}
