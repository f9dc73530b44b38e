import type { DispatchedRun, QueuePlace } from './journal-records';
import type { AgeingSettings } from './settings';

/**
 * How long runs have waited, and how many levels of priority they have risen. In memory, the `waitedMs` of a run is
 * its wait when the dispatcher started, so it is negative for runs that arrived later.
 */
export class Ageing {
  /** @param settings returns the settings in use at the moment of the call */
  constructor(
    private readonly startedMs: number,
    private readonly settings: () => AgeingSettings,
  ) {}

  /**
   * Converts the `waitedMs` of a row to the start of the dispatcher.
   * @param now the time at which the row was read
   */
  rebase(run: DispatchedRun, now: number): void {
    run.waitedMs -= now - this.startedMs;
  }

  /** The time since the run was requested, in milliseconds. */
  waitedMs(run: DispatchedRun, now: number): number {
    return run.waitedMs + now - this.startedMs;
  }

  /** The priority that the run has reached; it never falls while the run waits. */
  levelOf(run: DispatchedRun, now: number): number {
    const { stepMs, stepsMax } = this.settings();
    const steps = Math.floor(this.waitedMs(run, now) / stepMs);
    return run.priority + Math.max(0, Math.min(steps, stepsMax));
  }

  /** The last place at which a run of the priority of `run` has at least this level, which is above the priority. */
  lastOfLevel(run: DispatchedRun, level: number, now: number): QueuePlace {
    const waitedMs = this.waitedMs(run, now);
    const neededMs = (level - run.priority) * this.settings().stepMs;
    return { arrivedAt: Math.floor(run.arrivedAt + waitedMs - neededMs), runId: Number.MAX_SAFE_INTEGER };
  }

  /** The level that no run of this priority can pass. */
  levelMax(priority: number): number {
    return priority + this.settings().stepsMax;
  }
}
