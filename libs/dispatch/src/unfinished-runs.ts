import type { DispatchedRun } from './journal-records';
import { Tally } from './tally';

/** Recently cancelled runs in memory, so that workers that do not know it yet get the reason why they must stop. */
const REMEMBERED_MAX = 1_000;

/** The runs in a dispatcher's memory by their ids, and how many there are of each suite. */
export class UnfinishedRuns {
  private readonly byId = new Map<number, DispatchedRun>();
  private readonly ofSuite = new Tally();
  private readonly publicOfSuite = new Tally();

  get size(): number {
    return this.byId.size;
  }

  has(runId: number): boolean {
    return this.byId.has(runId);
  }

  find(runId: number): DispatchedRun | undefined {
    return this.byId.get(runId);
  }

  keys(): Iterable<number> {
    return this.byId.keys();
  }

  values(): Iterable<DispatchedRun> {
    return this.byId.values();
  }

  add(run: DispatchedRun): void {
    this.byId.set(run.runId, run);
    this.ofSuite.add(run.suite);
    if (!run.isPrivate) this.publicOfSuite.add(run.suite);
  }

  remove(run: DispatchedRun): void {
    if (!this.byId.delete(run.runId)) return;
    this.ofSuite.remove(run.suite);
    if (!run.isPrivate) this.publicOfSuite.remove(run.suite);
  }

  publish(run: DispatchedRun): void {
    if (run.isPrivate) this.publicOfSuite.add(run.suite);
    run.isPrivate = false;
  }

  /** Suite → how many; the private ones are left out unless `everything` is asked for. */
  perSuite(everything: boolean): Tally {
    return everything ? this.ofSuite : this.publicOfSuite;
  }
}

/** Why cancelled runs are gone: reasons for people, by run id. */
export class CancelReasons {
  private readonly reasons = new Map<number, string>();

  /** A Map keeps the order of insertion, so the first entry is the oldest. */
  add(runId: number, reason: string): void {
    this.reasons.set(runId, reason);
    const [oldest] = this.reasons.keys();
    if (this.reasons.size > REMEMBERED_MAX && oldest !== undefined) this.reasons.delete(oldest);
  }

  reasonOf(runId: number): string | undefined {
    return this.reasons.get(runId);
  }
}
