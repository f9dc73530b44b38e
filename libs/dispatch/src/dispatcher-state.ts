import type { AttemptOutcome, DispatcherAnswer, RunState } from '@proctor/contracts';
import { Cancellations } from './cancellations';
import { Delays } from './delays';
import type { DispatchedRun, RunOutcome, Write } from './journal';
import { Leases, type Slot } from './leases';
import { stateAfter } from './lifecycle';
import type { DispatchSettings } from './settings';
import { SuiteQueues } from './suite-queue';
import { Workers } from './workers';

/** Why an attempt ended without a result. */
export interface AttemptEnd {
  outcome: Exclude<AttemptOutcome, 'finished'>;
  /** For people. */
  reason: string;
}

/**
 * One architecture's unfinished runs in memory: a cache of the rows, thrown away when a commit fails. Each change
 * of a run's state is one method here, which answers the write that makes it true.
 */
export class DispatcherState {
  readonly runs = new Map<number, DispatchedRun>();
  /** Runs that a slot may have now. */
  readonly queues = new SuiteQueues();
  /** Runs that a slot may have later. */
  readonly delays = new Delays();
  readonly leases = new Leases();
  readonly cancellations = new Cancellations();
  readonly workers: Workers;
  /** No lease expires before a full time-to-live has passed since then. */
  hearingSinceMs: number;
  reportsDrained = false;

  /** @param runs are owned by the state from here on */
  constructor(
    readonly arch: string,
    readonly epoch: number,
    public settings: DispatchSettings,
    runs: DispatchedRun[],
    now: number,
  ) {
    this.hearingSinceMs = now;
    this.workers = new Workers(settings.workersMax);
    for (const run of runs) this.add(run, now);
  }

  /** The head of each answer. */
  get answer(): DispatcherAnswer {
    return { arch: this.arch, epoch: this.epoch };
  }

  /** When time alone next changes something, in monotonic milliseconds; null when it never does. */
  get nextDeadlineMs(): number | null {
    const due = [this.delays.nextDue()?.notBeforeMs, this.nextExpiryMs].filter((time) => time !== undefined);
    return due.length === 0 ? null : Math.min(...due);
  }

  /** When the lease that was silent the longest expires; undefined when none can. */
  get nextExpiryMs(): number | undefined {
    const silent = this.leases.longestSilent();
    if (!silent || !this.reportsDrained) return undefined;
    return Math.max(silent.renewedAtMs, this.hearingSinceMs) + this.settings.leaseTtlMs;
  }

  takeIn(run: DispatchedRun, now: number): Write {
    if (!this.runs.has(run.runId)) this.add(run, now);
    return { kind: 'take-in', runId: run.runId };
  }

  grant(run: DispatchedRun, slot: Slot, now: number): Write {
    stateAfter(stateOf(run), 'grant');
    this.takeFromWaiting(run);
    const { worker, incarnation, slot: number } = slot;
    run.attempt += 1;
    run.latestWorker = worker;
    run.lease = { worker, incarnation, slot: number, state: 'leased' };
    this.leases.add(run, run.lease, now);
    return { kind: 'grant', runId: run.runId, attempt: run.attempt, worker, incarnation, slot: number };
  }

  start(run: DispatchedRun): Write {
    const state = stateAfter(stateOf(run), 'start');
    if (run.lease && state === 'running') run.lease.state = state;
    return { kind: 'start', runId: run.runId, attempt: run.attempt };
  }

  /** The run waits again, for `delayMs` if that is above 0. */
  requeue(run: DispatchedRun, end: AttemptEnd, delayMs: number, now: number): Write {
    stateAfter(stateOf(run), 'requeue');
    this.leases.remove(run.runId);
    run.lease = null;
    if (delayMs > 0) this.delays.add(run, now + delayMs, end.reason);
    else this.enqueue(run);
    return { kind: 'requeue', runId: run.runId, attempt: run.attempt, ...end };
  }

  finish(run: DispatchedRun, attemptOutcome: AttemptOutcome, outcome: RunOutcome): Write {
    stateAfter(stateOf(run), 'finish');
    this.forget(run);
    const { runId, attempt, latestWorker: worker } = run;
    return { kind: 'finish', runId, attempt, attemptOutcome, outcome, worker };
  }

  /** The run was finished in the books by somebody else: nothing of it is written any more. */
  cancel(runId: number, reason: string): void {
    this.cancellations.add(runId, reason);
    const run = this.runs.get(runId);
    if (!run) return;
    stateAfter(stateOf(run), 'cancel');
    this.forget(run);
  }

  /** A waiting run is kept from every slot for a while. */
  delay(run: DispatchedRun, delayMs: number, reason: string, now: number): void {
    this.takeFromWaiting(run);
    this.delays.add(run, now + delayMs, reason);
  }

  endDelay(run: DispatchedRun): void {
    this.delays.remove(run.runId);
    this.enqueue(run);
  }

  /** Which runs a slot may have depends on the extra apt sources that the deployment has. */
  reconfigure(settings: DispatchSettings): void {
    this.settings = settings;
    for (const run of this.runs.values()) {
      if (run.extraAptSources.length === 0 || run.lease || this.delays.get(run.runId)) continue;
      this.queues.remove(run);
      this.enqueue(run);
    }
  }

  /** The first of the run's extra apt sources that the deployment no longer has; such a run waits. */
  missingSource(run: DispatchedRun): string | undefined {
    return run.extraAptSources.find((name) => !this.settings.extraAptSources.has(name));
  }

  private add(run: DispatchedRun, now: number): void {
    this.runs.set(run.runId, run);
    if (run.lease) this.leases.add(run, run.lease, now);
    else this.enqueue(run);
  }

  private forget(run: DispatchedRun): void {
    this.leases.remove(run.runId);
    this.takeFromWaiting(run);
    this.runs.delete(run.runId);
  }

  private enqueue(run: DispatchedRun): void {
    if (this.missingSource(run) === undefined) this.queues.add(run);
  }

  private takeFromWaiting(run: DispatchedRun): void {
    this.queues.remove(run);
    this.delays.remove(run.runId);
  }
}

export function stateOf(run: DispatchedRun): RunState {
  return run.lease ? run.lease.state : 'queued';
}
