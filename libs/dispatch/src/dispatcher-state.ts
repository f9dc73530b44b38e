import type { AttemptOutcome, DispatcherAnswer, SlotIdentity } from '@proctor/contracts';
import { Ageing } from './ageing';
import { signatureOf } from './crashes';
import { AwaitedResults, backOffMs } from './delays';
import { DrainDeadlines } from './drain-deadlines';
import { Durations } from './durations';
import type { LoadedRows, Write } from './journal';
import type { DispatchedRun, GrantedLease, Restrictions, RunOutcome } from './journal-records';
import { HandBacks } from './hand-backs';
import { IdleSlots } from './idle-slots';
import { Judgements } from './judgements';
import { LeaseExpiry } from './lease-expiry';
import { Leases } from './leases';
import { type AttemptEnd, stateAfter, stateOf } from './lifecycle';
import { isNew, Lines } from './lines';
import { Lives } from './lives';
import type { Ownership } from './ownership';
import { RegisteredWorkers } from './registered-workers';
import type { DispatchSettings } from './settings';
import { Suspects, SuspectTurns } from './suspects';
import { CancelReasons, UnfinishedRuns } from './unfinished-runs';
import { Usage } from './usage';
import { WaitingRuns } from './waiting-runs';
import { Workers } from './workers';

/** The data that no row has, so it must survive when the same owner loads the rows again. */
type LastingParts = Pick<
  DispatcherState,
  'workers' | 'idle' | 'lives' | 'handBacks' | 'cancelReasons' | 'awaited'
>;

/**
 * The unfinished runs of one architecture in memory: a cache of the rows, thrown away when a commit fails. Each
 * change of a run's state is one method here, which returns the write that saves it.
 */
export class DispatcherState {
  readonly arch: string;
  readonly epoch: number;
  readonly runs = new UnfinishedRuns();
  readonly waiting: WaitingRuns;
  readonly leases = new Leases();
  readonly lines: Lines;
  readonly expiry: LeaseExpiry;
  readonly cancelReasons: CancelReasons;
  readonly awaited: AwaitedResults;
  readonly workers: Workers;
  readonly idle: IdleSlots;
  /** The registered workers; `workers` has those that have sent messages. */
  readonly registered: RegisteredWorkers;
  readonly lives: Lives;
  readonly handBacks: HandBacks;
  readonly judgements: Judgements;
  readonly suspects = new Suspects((packageName) => this.waiting.queues.unparkAllOf(packageName));
  readonly suspectTurns = new SuspectTurns();
  readonly ageing: Ageing;
  readonly usage: Usage;
  readonly durations: Durations;
  /** The decisions of users. */
  restrictions: Restrictions;
  drainDeadlines: DrainDeadlines;

  /** @param loaded the state owns it from now on @param previous data of an earlier state of the same term */
  constructor(
    { arch, epoch }: Ownership,
    public settings: DispatchSettings,
    loaded: LoadedRows,
    now: number,
    previous?: LastingParts,
  ) {
    this.arch = arch;
    this.epoch = epoch;
    this.waiting = new WaitingRuns(settings, (requestor) => this.usage.accountOf(requestor));
    this.lines = new Lines(
      () => this.settings.window,
      (requestor) => this.usage.accountOf(requestor),
    );
    this.expiry = new LeaseExpiry(this.leases, () => this.settings.leaseTtlMs, now);
    this.workers = previous?.workers ?? new Workers(settings.workersMax);
    this.idle = previous?.idle ?? new IdleSlots();
    this.lives = previous?.lives ?? new Lives(settings.workersMax);
    this.handBacks = previous?.handBacks ?? new HandBacks();
    this.cancelReasons = previous?.cancelReasons ?? new CancelReasons();
    this.awaited = previous?.awaited ?? new AwaitedResults();
    this.judgements = new Judgements(loaded.judgements, now, () => this.settings.blame, settings.workersMax);
    this.ageing = new Ageing(now, () => this.settings.ageing);
    this.usage = new Usage(loaded.usage, now, () => this.settings.fairShare);
    this.durations = new Durations(loaded.durations, () => this.settings);
    this.restrictions = loaded.restrictions;
    this.drainDeadlines = new DrainDeadlines(loaded.restrictions, now);
    this.registered = new RegisteredWorkers(arch, loaded.workers);
    for (const edge of loaded.edges) this.ageing.rebase(edge, now);
    for (const run of loaded.runs) this.add(run, now);
    for (const edge of loaded.edges) this.lines.endsAt(edge);
    if (!previous) for (const { lease } of this.leases.byGrant()) this.lives.grantedBefore(lease, now);
  }

  /** The common fields of all answers. */
  get answer(): DispatcherAnswer {
    return { arch: this.arch, epoch: this.epoch };
  }

  /** When the passing of time changes something next, in monotonic milliseconds; null if never. */
  get nextDeadlineMs(): number | null {
    const { waiting, expiry, drainDeadlines } = this;
    const due = [waiting.delays.nextDue()?.notBeforeMs, expiry.next?.atMs, drainDeadlines.nextMs].filter(
      (time) => time !== undefined,
    );
    return due.length === 0 ? null : Math.min(...due);
  }

  /** Adds a run as it is in its row. */
  add(run: DispatchedRun, now: number): void {
    if (isNew(run) && !this.lines.add(run)) return;
    this.runs.add(run);
    this.ageing.rebase(run, now);
    const waitMs = backOffMs(run, this.settings.retry);
    if (run.lease) this.startLease(run, run.lease, now);
    else if (run.latestLost && waitMs > 0) this.waiting.delay(run, now + waitMs, run.latestLost.reason);
    else this.waiting.add(run);
  }

  /** Removes the run and all that memory knows about it. */
  removeRun(run: DispatchedRun, now: number): void {
    if (isNew(run)) this.lines.remove(run);
    this.endLease(run, now);
    this.waiting.remove(run);
    this.awaited.remove(run.runId);
    this.runs.remove(run);
  }

  /** Adds a run, unless it is already in memory. */
  ingest(run: DispatchedRun, now: number): void {
    if (this.runs.has(run.runId)) return;
    this.add(run, now);
    for (const dropped of this.lines.overflow(run)) this.unload(dropped);
  }

  grant(run: DispatchedRun, slot: SlotIdentity, now: number): Write {
    stateAfter(stateOf(run), 'grant');
    if (isNew(run)) this.lines.remove(run);
    this.waiting.remove(run);
    const { worker, incarnation, slot: number } = slot;
    run.attempt += 1;
    run.grantEpoch = this.epoch;
    run.latestWorker = worker;
    run.latestFailed = false;
    run.lease = { worker, incarnation, slot: number, state: 'leased', heldMs: 0 };
    this.startLease(run, run.lease, now);
    if (this.suspects.has(run)) this.suspectTurns.start(worker, run.runId);
    return { kind: 'grant', runId: run.runId, attempt: run.attempt, worker, incarnation, slot: number };
  }

  start(run: DispatchedRun): Write {
    const state = stateAfter(stateOf(run), 'start');
    if (run.lease && state === 'running') run.lease.state = state;
    return { kind: 'start', runId: run.runId, attempt: run.attempt };
  }

  /** Puts the run into the queue again, after `delayMs` if that is above 0; it may already have been waiting. */
  requeue(run: DispatchedRun, end: AttemptEnd, delayMs: number, now: number): Write {
    stateAfter(stateOf(run), 'requeue');
    this.endLease(run, now);
    this.waiting.remove(run);
    const { outcome, reason, result = null } = end;
    const { runId, attempt, latestWorker: worker } = run;
    if (outcome !== 'returned' && worker !== null && !run.failedOn.includes(worker))
      run.failedOn.push(worker);
    run.latestFailed = outcome === 'failed';
    if (delayMs > 0) this.waiting.delay(run, now + delayMs, reason);
    else this.waiting.add(run);
    const crash = signatureOf(run.crashes, attempt);
    return {
      kind: 'requeue',
      runId,
      attempt,
      outcome,
      reason,
      result,
      ...(crash !== undefined && { crash }),
    };
  }

  endRun(run: DispatchedRun, attemptOutcome: AttemptOutcome, outcome: RunOutcome, now: number): Write {
    stateAfter(stateOf(run), 'finish');
    this.removeRun(run, now);
    this.durations.learnFrom(run, outcome);
    const { runId, attempt, latestWorker: worker } = run;
    return { kind: 'finish', runId, attempt, attemptOutcome, outcome, worker };
  }

  /** The use of requestors is written together with the change that caused it. */
  usageWrites(now: number): Write[] {
    return this.usage.collectChanges(now).map((change) => ({ kind: 'usage', ...change }));
  }

  /** Removes a run whose row a user has finished: nothing more is written about it. */
  cancel(runId: number, reason: string, now: number): void {
    this.cancelReasons.add(runId, reason);
    const run = this.runs.find(runId);
    if (!run) return;
    stateAfter(stateOf(run), 'cancel');
    this.removeRun(run, now);
  }

  /** Removes a worker that is no longer in the register: another process may use its name. */
  removeWorker(worker: string): void {
    this.workers.remove(worker);
    this.idle.removeWorker(worker);
    this.lives.remove(worker);
  }

  /** Changes a run whose row has changed; it may wait in another place then. */
  change(runId: number, change: (run: DispatchedRun) => void): void {
    const run = this.runs.find(runId);
    if (!run) return;
    if (isNew(run)) this.lines.remove(run);
    this.waiting.move(run, () => change(run));
    if (isNew(run) && !this.lines.add(run)) this.unload(run);
  }

  reconfigure(settings: DispatchSettings, now: number): void {
    this.usage.settle(now);
    this.settings = settings;
    this.waiting.reconfigure(settings, this.runs.values());
  }

  /** Removes a run from memory: only the rows have it from now on. */
  private unload(run: DispatchedRun): void {
    this.waiting.remove(run);
    this.runs.remove(run);
  }

  private startLease(run: DispatchedRun, lease: GrantedLease, now: number): void {
    const leased = this.leases.add(run, lease, this.durations.expectedMs(run.package), now);
    this.usage.accountOf(run.requestor).start(leased.expectedMs, leased.grantedAtMs);
  }

  /** The requestor is charged for the slot time, and a parked run of the package may have the free place. */
  private endLease(run: DispatchedRun, now: number): void {
    const leased = this.leases.remove(run.runId);
    if (!leased) return;
    this.suspectTurns.end(leased.lease.worker, run.runId, leased.grantedAtMs, now);
    run.lease = null;
    this.usage.end(run.requestor, { ...leased, isPrivate: run.isPrivate }, now);
    this.waiting.queues.unparkOne(run.package);
  }
}
