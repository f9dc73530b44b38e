import { needsOf } from './ability';
import { Delays } from './delays';
import type { DispatchedRun } from './journal-records';
import { whyNotLeasable } from './lease-terms';
import type { DispatchSettings } from './settings';
import { SuiteQueues } from './suite-queue';
import type { UsageAccount } from './usage';

/** The runs of an architecture without a lease: in a queue, delayed, or neither when no lease is possible for them. */
export class WaitingRuns {
  /** Runs that a slot may have now, as far as pauses and caps let it. */
  readonly queues: SuiteQueues;
  /** Runs that a slot may have later. */
  readonly delays = new Delays();

  constructor(
    private settings: DispatchSettings,
    accountOf: (requestor: string) => UsageAccount,
  ) {
    this.queues = new SuiteQueues((run) => needsOf(run, this.settings.sizeClassOf(run.package)), accountOf);
  }

  /** No slot may have a run, now or later, unless something changes. */
  get isEmpty(): boolean {
    return this.queues.isEmpty && this.delays.nextDue() === undefined;
  }

  add(run: DispatchedRun): void {
    if (whyNotLeasable(run, this.settings) === undefined) this.queues.add(run);
  }

  remove(run: DispatchedRun): void {
    this.queues.remove(run);
    this.delays.remove(run.runId);
  }

  /** No slot gets the run until then, in monotonic milliseconds; it may already be waiting. */
  delay(run: DispatchedRun, notBeforeMs: number, reason: string): void {
    this.remove(run);
    this.delays.add(run, notBeforeMs, reason);
  }

  endDelay(run: DispatchedRun): void {
    this.delays.remove(run.runId);
    this.add(run);
  }

  /** `change` alters fields of the run that decide where it waits. */
  move(run: DispatchedRun, change: () => void): void {
    const isInQueue = this.queues.remove(run);
    change();
    if (isInQueue) this.add(run);
  }

  /**
   * A new configuration changes the leases of runs and the size classes, and so the slots that may have a run.
   * @param runs all unfinished runs of the architecture, also leased ones
   */
  reconfigure(settings: DispatchSettings, runs: Iterable<DispatchedRun>): void {
    const moved = [...runs].filter(
      (run) =>
        !run.lease &&
        (run.extraAptSources.length > 0 ||
          whyNotLeasable(run, settings) !== whyNotLeasable(run, this.settings) ||
          settings.sizeClassOf(run.package) !== this.settings.sizeClassOf(run.package)) &&
        !this.delays.find(run.runId),
    );
    for (const run of moved) this.queues.remove(run);
    this.settings = settings;
    for (const run of moved) this.add(run);
    this.queues.unparkAll();
  }
}
