import type { DispatchedRun, QueuePlace } from './journal-records';
import type { AgeingSettings } from './settings';

/**
 * How long runs have waited, and by how many levels of priority that lifts them. The `waitedMs` of each run in memory
 * tells of the moment when the dispatcher began, so it is negative for runs that arrived later.
 */
export class Ageing {
  /** @param settings those that hold at the moment of the call */
  constructor(
    private readonly startedMs: number,
    private readonly settings: () => AgeingSettings,
  ) {}

  /** @param now when `waitedMs` was read */
  rebase(run: DispatchedRun, now: number): void {
    run.waitedMs -= now - this.startedMs;
  }

  /** Since the run was asked for. */
  waitedMs(run: DispatchedRun, now: number): number {
    return run.waitedMs + now - this.startedMs;
  }

  /** The priority that the run has by now; never falls while it waits. */
  levelOf(run: DispatchedRun, now: number): number {
    const { stepMs, stepsMax } = this.settings();
    const steps = Math.floor(this.waitedMs(run, now) / stepMs);
    return run.priority + Math.max(0, Math.min(steps, stepsMax));
  }

  /** Where the last run of the priority of `run` would be that has at least this level, which is above the priority. */
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
