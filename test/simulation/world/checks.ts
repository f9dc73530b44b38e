import { isSameGrant, type Fact, type FinishedReport, type Grant } from '@proctor/contracts';
import type { Write } from '@proctor/dispatch';
import type { AttemptRow, MemoryBooks, RunRow } from '../memory-books';
import { EndedTests } from './ended-tests';
import { Forgotten } from './forgotten';
import { GrantRate } from './grant-rate';
import { Passing } from './passing';
import { ResultChecks, titleOf } from './result-checks';
import { PublishedEvents } from './published-events';
import { WorkerChecks } from './worker-checks';

/** Who executes an attempt. */
export interface Executor {
  worker: string;
  incarnation: string;
  slot: number;
}

type RunWrite = Extract<Write, { runId: number }>;
type GrantWrite = Extract<Write, { kind: 'grant' }>;

/** Knows the truth, and collects what contradicts it. */
export class Checks {
  readonly violations: string[] = [];
  /** Runs that a client knows to be accepted, and that no restore has undone. */
  private readonly accepted = new Set<number>();
  private readonly forgotten = new Forgotten();
  private readonly granted = new Map<number, number>();
  private readonly finishedRuns = new Set<number>();
  private readonly executed = new Set<string>();
  private readonly epochs = new Map<string, number>();
  /** Runs that a dispatcher knows and that were never granted nor moved: nothing but their priority decides. */
  private readonly fresh = new Map<number, RunRow>();
  /** Runs whose priority was changed. */
  private readonly moved = new Set<number>();
  private readonly passing = new Passing();
  readonly workers = new WorkerChecks(this.require.bind(this));
  private readonly results = new ResultChecks();
  readonly endedTests = new EndedTests();
  /** Grants whose verdicts a disk has refused. */
  private readonly unwritten = new Set<string>();
  /** Attempts whose worker got the answer that its result is not needed. */
  private readonly thrownAway = new Set<string>();
  private readonly events = new PublishedEvents();
  private readonly grants = new GrantRate();

  /** `isCalm`: nothing fails that could stop a worker's messages, so no lease may expire. */
  constructor(
    private readonly violated: (violation: string) => void,
    private readonly isCalm: boolean,
    private readonly now: () => number,
  ) {}

  accepts({ runId }: RunRow): void {
    this.accepted.add(runId);
  }

  /** The dispatcher that owns their architecture has these in its memory. */
  known(books: MemoryBooks, runIds: Iterable<number>): void {
    for (const runId of runIds) {
      const row = books.look(runId);
      if (row?.state === 'queued' && row.attempt === 0 && !this.moved.has(runId)) this.fresh.set(runId, row);
    }
  }

  /** The database is restored by this: later changes no longer count. @returns the runs that are gone */
  restores(books: MemoryBooks, bringBack: () => void): number[] {
    this.forgotten.restore(books, bringBack);
    const rows = books.all();
    const lostRuns = [...this.accepted].filter((runId) => !books.look(runId));
    for (const runId of lostRuns) this.accepted.delete(runId);
    this.granted.clear();
    this.finishedRuns.clear();
    for (const { runId, attempt, state } of rows) {
      this.granted.set(runId, attempt);
      if (state === 'finished') this.finishedRuns.add(runId);
    }
    for (const memory of [this.fresh, this.epochs, this.thrownAway]) memory.clear();
    this.workers.restored();
    this.passing.restored(rows);
    this.events.startAgain();
    return lostRuns;
  }

  /** Called before the books change. */
  cancelled({ runId }: RunRow): void {
    this.require(!this.finishedRuns.has(runId), `run ${runId}: cancelled after it had finished`);
    this.finishedRuns.add(runId);
    this.fresh.delete(runId);
  }

  reprioritised({ runId }: RunRow): void {
    this.moved.add(runId);
    this.fresh.delete(runId);
  }

  written(books: MemoryBooks, arch: string, write: Write, row: RunRow | null, epoch: number): void {
    this.require(epoch >= (this.epochs.get(arch) ?? 0), `${arch}: epoch ${epoch} wrote after a newer one`);
    this.epochs.set(arch, Math.max(epoch, this.epochs.get(arch) ?? 0));
    if (write.kind === 'judge-worker') this.workers.judged(arch, write);
    else if (write.kind === 'ingest-order')
      this.workers.orderIngested(arch, books.decisions.find(arch, write.orderId));
    else if ('runId' in write && row) this.runWritten(books, write, row, epoch);
  }

  executionBegins(books: MemoryBooks, grant: Grant, by: Executor): void {
    const title = titleOf(grant);
    const granted = attemptOf(books, grant);
    const isGranted =
      granted?.worker === by.worker && granted.incarnation === by.incarnation && granted.slot === by.slot;
    this.require(
      isGranted || this.forgotten.hasGrant(grant),
      `${title}: executed by ${by.worker} slot ${by.slot}, which was not granted it`,
    );
    // A slot whose lease stands again since a restore is granted it again.
    const isAgain = this.executed.has(title) && !this.forgotten.hasEndOf(grant);
    this.require(!isAgain, `${title}: executed twice`);
    this.executed.add(title);
    this.results.executed(grant);
  }

  executionStopped(books: MemoryBooks, grant: Grant): void {
    const row = books.look(grant.runId);
    const isLatest = row?.attempt === grant.attempt && attemptOf(books, grant) !== undefined;
    const stands = isLatest && (row.state === 'leased' || row.state === 'running');
    this.require(
      !stands || this.forgotten.hasEndOf(grant),
      `${titleOf(grant)}: stopped although its lease stood`,
    );
  }

  reported(books: MemoryBooks, { runId, verdict }: FinishedReport): void {
    const row = books.look(runId);
    if (row && verdict !== 'tmpfail') this.passing.resultReported(row);
  }

  copyDropped(books: MemoryBooks, storedFiles: ReadonlySet<string>, report: FinishedReport): void {
    if (this.forgotten.hasEndOf(report)) return;
    const { runId, attempt, verdict, message } = report;
    const title = titleOf(report);
    const row = books.look(runId);
    const outcome = attemptOf(books, report)?.outcome;
    const isBooked = outcome === 'finished' || outcome === 'failed';
    this.require(isBooked, `${title}: said to be recorded, but is not`);
    for (const { name } of report.files)
      this.require(storedFiles.has(`${runId}/${attempt}/${name}`), `${title}: recorded without its ${name}`);
    if (row?.attempt !== attempt || row.state !== 'finished' || row.cancelled) return;
    const isOwn = row.outcome?.verdict === verdict && row.outcome.message.startsWith(message);
    this.require(isOwn, `run ${runId}: its verdict is not that of its latest attempt's report`);
  }

  lifeEnds(incarnation: string): void {
    this.workers.lifeEnds(incarnation);
    this.endedTests.lifeEnded(incarnation, false);
  }

  /** The disk refused it. */
  notWritten(grant: Grant): void {
    this.unwritten.add(titleOf(grant));
  }

  /** A worker packs the files of a test that has ended. */
  packed(grant: Grant): void {
    this.endedTests.packed(grant);
    const isKept = this.endedTests.isKept(grant) || this.unwritten.has(titleOf(grant));
    this.require(isKept, `${titleOf(grant)}: its files are packed, and its verdict is not kept yet`);
  }

  /** A worker could not keep the result, and reports that in its place. */
  notKept(report: FinishedReport): void {
    this.results.notKept(report);
  }

  /** The worker got the answer that its result is not needed. */
  resultRefused(books: MemoryBooks, report: FinishedReport): void {
    if (this.forgotten.hasEndOf(report)) return;
    const row = books.look(report.runId);
    const isLatest = row?.attempt === report.attempt && attemptOf(books, report) !== undefined;
    const counts = isLatest && !row.cancelled;
    this.require(!counts, `${titleOf(report)}: the result of the latest attempt was thrown away`);
    this.thrownAway.add(`${report.runId}/${report.attempt}`);
  }

  /** Reports that a dispatcher loaded all runs more often than calls failed, as if a cancelled run were a reason. */
  loadedForNothing(arch: string): void {
    this.require(false, `${arch}: loaded all runs again though no turn had failed`);
  }

  /** Reports that no dispatcher served `arch` for `ms`, though nothing that it needs was broken. */
  unserved(arch: string, ms: number): void {
    this.require(false, `${arch}: no dispatcher was at work for ${Math.round(ms / 1000)} s`);
  }

  /** An event of the stream, in its order. */
  published(fact: Fact): void {
    const isInOrder = this.events.isInOrder(fact);
    this.require(isInOrder, `run ${fact.runId}: event ${fact.factId} came after a later one`);
  }

  streamsLost(): void {
    this.events.startAgain();
  }

  /** When everything works again and all had its time. */
  atTheEnd(books: MemoryBooks, storedFiles: ReadonlySet<string>): void {
    for (const order of books.decisions.waiting())
      this.require(false, `order ${order.orderId}: no dispatcher took it in`);
    this.workers.atTheEnd();
    for (const name of this.endedTests.undelivered)
      this.require(false, `attempt ${name}: its test has ended, but its verdict reached no dispatcher`);
    for (const runId of this.accepted)
      this.require(books.look(runId) !== undefined, `run ${runId}: accepted, but not in the rows`);
    for (const row of books.all()) {
      const title = `run ${row.runId}`;
      this.require(row.state === 'finished', `${title}: lost, it is ${row.state}`);
      for (const { name } of row.outcome?.files ?? []) {
        const isStored = storedFiles.has(`${row.runId}/${row.attempt}/${name}`);
        const { runId, attempt } = row;
        const grant = { runId, attempt, grantEpoch: row.attempts.at(-1)?.epoch ?? 0 };
        const isAllowed = isStored || this.forgotten.mayLackFiles(grant);
        this.require(isAllowed, `${title}: ${name} is not in the store`);
      }
      this.checkStory(title, books.facts.ofRun(row.runId));
    }
    // A file may stay whose report was lost with its worker's disk: no row names it.
    for (const file of storedFiles) {
      const attempt = file.slice(0, file.lastIndexOf('/'));
      this.require(!this.thrownAway.has(attempt), `${file} is in the store, though it was thrown away`);
    }
  }

  private runWritten(books: MemoryBooks, write: RunWrite, row: RunRow, epoch: number): void {
    const title = `run ${write.runId}`;
    this.passing.written(write, row, epoch);
    const isOver = this.finishedRuns.has(write.runId);
    if (write.kind === 'correct')
      this.require(isOver && !row.cancelled, `${title}: corrected before its end`);
    else this.require(!isOver, `${title}: ${write.kind} after it had finished`);
    if (write.kind === 'grant') this.grantWritten(books, title, write, row, epoch);
    if (write.kind === 'requeue' && write.outcome === 'expired')
      this.require(!this.isCalm, `${title}: expired although its worker was there`);
    this.workers.runWritten(books, title, write, row);
    if (write.kind !== 'finish' && write.kind !== 'correct') return;
    this.finishedRuns.add(write.runId);
    const { message } = write.outcome;
    const isReported = write.kind === 'correct' || write.attemptOutcome === 'finished';
    const grantEpoch = row.attempts.at(-1)!.epoch;
    const isOwn = !isReported || this.results.mayBe({ ...write, grantEpoch }, message);
    const claim = `"${message}" was booked as the result of attempt ${write.attempt}`;
    this.require(isOwn, `${title}: ${claim}`);
  }

  private grantWritten(
    books: MemoryBooks,
    title: string,
    write: GrantWrite,
    row: RunRow,
    epoch: number,
  ): void {
    const isKnown = this.forgotten.hasGrant({ ...write, grantEpoch: epoch });
    this.require(!isKnown, `${title}: granted as it was before the restore, epoch included`);
    const expected = (this.granted.get(write.runId) ?? 0) + 1;
    this.require(write.attempt === expected, `${title}: attempt ${write.attempt} granted, not ${expected}`);
    this.granted.set(write.runId, write.attempt);
    const isBounded = this.grants.granted(write, row.request.arch, this.now());
    this.require(
      isBounded,
      `${title}: slot ${write.slot} of ${write.worker} is granted more than it can execute`,
    );
    for (const other of this.passing.wronglyHeldBack(write, books))
      this.require(
        false,
        `run ${other.runId}: suspected, though its package has had a result since it failed`,
      );
    for (const other of this.passing.forgotten(write, books))
      this.require(false, `run ${other.runId}: no longer suspected, though its package has had no result`);
    this.checkOrder(books, title, write, row, epoch);
    this.workers.granted(books, title, write, row);
    const { arch, suite } = row.request;
    // Only a dispatcher that has ingested every order must follow them.
    if (books.decisions.waiting(arch).length > 0) return;
    const { pauses } = books.decisions.restrictions(arch);
    const isPaused = pauses.some((pause) => pause.suite === null || pause.suite === suite);
    this.require(!isPaused, `${title}: granted although ${suite} is paused`);
  }

  /**
   * Between fresh runs of one suite nothing but the priority decides, as long as none waits for hours and no package is
   * suspected.
   */
  private checkOrder(books: MemoryBooks, title: string, write: GrantWrite, row: RunRow, epoch: number): void {
    const { request } = row;
    if (!this.fresh.delete(row.runId)) return;
    for (const other of this.fresh.values()) {
      const isSameQueue = other.request.arch === request.arch && other.request.suite === request.suite;
      const isInverted = isSameQueue && other.request.priority > request.priority;
      const isOutOfReach = other.request.isPrivate && !books.register.mayRunPrivate(write.worker);
      const isAllowed = !isInverted || isOutOfReach || this.passing.mayPass(write, row, other, epoch);
      this.require(isAllowed, `${title}: granted before run ${other.runId} of higher priority`);
    }
  }

  private checkStory(title: string, facts: Fact[]): void {
    const ends = facts.filter(({ kind }) => kind === 'finished' || kind === 'cancelled');
    this.require(facts[0]?.kind === 'requested', `${title}: its story does not begin with the request`);
    this.require(ends.length === 1, `${title}: ${ends.length} facts of its end`);
    const last = facts.at(-1);
    this.require(
      last && this.events.has(last),
      `${title}: its last fact, ${last?.factId}, was never published`,
    );
  }

  private require(condition: unknown, violation: string): void {
    if (condition) return;
    this.violations.push(violation);
    this.violated(violation);
  }
}

function attemptOf(books: MemoryBooks, grant: Grant): AttemptRow | undefined {
  const { runId } = grant;
  return books
    .look(runId)
    ?.attempts.find(({ attempt, epoch }) => isSameGrant({ runId, attempt, grantEpoch: epoch }, grant));
}
