import { systemClock, type Clock } from '@proctor/clock';
import { growingPauseMs } from '@proctor/pauses';
import { describeEnding, type SupervisedProcess } from './supervised';

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

/** Keeps processes running until `stop`, and then stops them in the given order. */
export class Supervisor {
  /** Process → its latest start. */
  private readonly units = new Map<SupervisedProcess, Promise<void>>();
  private readonly wakeUps = new Set<() => void>();
  /** True: nothing more is started. */
  isStopping = false;
  private waitingFor: string | null = null;
  private stopped: Promise<void> | null = null;

  /**
   * @param stopOrder names; unlisted ones stop last
   * @param log called with one line for people at each event
   */
  constructor(
    private readonly stopOrder: string[],
    private readonly log: (line: string) => void,
    private readonly clock: Clock = systemClock,
  ) {}

  /** Starts it, and restarts it whenever it ends. Rejects when the first start fails. */
  async start(unit: SupervisedProcess): Promise<void> {
    if (this.isStopping) throw new Error(`${unit.name} is not started: Proctor is stopping`);
    await this.startUnit(unit);
    void this.supervise(unit);
  }

  /** Stops everything in order; a second call waits for the same end and logs what it waits for. */
  async stop(): Promise<void> {
    if (this.stopped && this.waitingFor) this.log(`still waiting for ${this.waitingFor} to end`);
    this.isStopping = true;
    this.wakeUps.forEach((wakeUp) => wakeUp());
    return (this.stopped ??= this.stopAll());
  }

  private async stopAll(): Promise<void> {
    const rank = (unit: SupervisedProcess): number => {
      const index = this.stopOrder.indexOf(unit.name);
      return index < 0 ? this.stopOrder.length : index;
    };
    for (const unit of [...this.units.keys()].sort((a, b) => rank(a) - rank(b))) {
      this.waitingFor = unit.name;
      const from = this.clock.now();
      const wasRunning = await this.stopUnit(unit);
      if (wasRunning) this.log(`${unit.name} stopped … ${((this.clock.now() - from) / 1000).toFixed(1)} s`);
    }
    this.waitingFor = null;
  }

  private startUnit(unit: SupervisedProcess): Promise<void> {
    const start = unit.start();
    this.units.set(unit, start);
    return start;
  }

  /**
   * Stops a unit. A start in progress is interrupted if possible, else awaited. @returns whether the unit was running
   */
  private async stopUnit(unit: SupervisedProcess): Promise<boolean> {
    await unit.stop();
    const hadStarted = await this.units.get(unit)?.then(
      () => true,
      () => false,
    );
    await unit.stop();
    return hadStarted ?? false;
  }

  private async supervise(unit: SupervisedProcess): Promise<void> {
    const backOff = new BackOff();
    let startedAt: number | null = this.clock.now();
    let cause = '';
    while (!this.isStopping) {
      if (startedAt !== null) cause = `ended with ${describeEnding(await unit.whenEnded)}`;
      if (this.isStopping) return;
      const delayMs = backOff.delayAfter(startedAt === null ? 0 : this.clock.now() - startedAt);
      this.log(`${unit.name} ${cause}; starting it again in ${delayMs / 1000} s`);
      await this.wait(delayMs);
      if (this.isStopping) return;
      startedAt = this.clock.now();
      try {
        await this.startUnit(unit);
        this.log(`${unit.name} runs again`);
      } catch (error) {
        startedAt = null;
        cause = `did not start: ${(error as Error).message}`;
      }
    }
  }

  /** Waits; ends early when the supervisor stops. */
  private wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wakeUp = (): void => {
        cancel();
        this.wakeUps.delete(wakeUp);
        resolve();
      };
      const cancel = this.clock.after(ms, wakeUp);
      this.wakeUps.add(wakeUp);
    });
  }
}
