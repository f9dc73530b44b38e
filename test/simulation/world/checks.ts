import type { Fact, FinishedReport, WorkerStanding } from '@proctor/contracts';
import type { Order, Write } from '@proctor/dispatch';
import type { MemoryBooks, RunRow } from '../memory-books';
import { Passing } from './passing';

/** Who executes an attempt. */
export interface Executor {
  worker: string;
  incarnation: string;
  slot: number;
}

type RunWrite = Extract<Write, { runId: number }>;
type Judgement = Extract<Write, { kind: 'judge-worker' }>;
type Grant = Extract<Write, { kind: 'grant' }>;

/** How the message of an attempt begins whose report nobody could read. */
const REFUSED = 'the report of worker ';
/** And of one whose worker could not keep its result. */
const NOT_KEPT = 'the worker could not keep the result: ';

type Attempt = Pick<FinishedReport, 'runId' | 'attempt'>;

/** Knows the truth, and collects what contradicts it. */
export class Checks {
  readonly violations: string[] = [];
  private readonly granted = new Map<number, number>();
  private readonly finished = new Set<number>();
  private readonly executed = new Set<string>();
  private readonly epochs = new Map<string, number>();
  /** Runs that a dispatcher knows and that were never granted nor moved: nothing but their priority decides. */
  private readonly fresh = new Map<number, RunRow>();
  /** Incarnations of the worker processes that live. */
  private readonly living = new Set<string>();
  /** Of workers that are not sound; keys are worker and architecture. */
  private readonly standings = new Map<string, WorkerStanding>();
  /** The same, of workers whose trust a dispatcher has taken in and not obeyed yet. */
  private readonly trusted = new Set<string>();
  private readonly passing = new Passing();
  /** Attempts whose results could not be kept: they have failed for that. */
  private readonly unkept = new Set<string>();
  /** Attempts whose worker was told that its result is of no use. */
  private readonly thrownAway = new Set<string>();
  /** Latest event of each run. */
  private readonly told = new Map<number, number>();
  /** The same since the streams were lost the last time. */
  private readonly streamed = new Map<number, number>();

  /** `isCalm`: nothing fails that could keep a worker from being heard, so no lease may expire. */
  constructor(
    private readonly violated: (violation: string) => void,
    private readonly isCalm: boolean,
  ) {}

  /** Before the books are told. */
  cancelled({ runId }: RunRow): void {
    this.require(!this.finished.has(runId), `run ${runId}: cancelled after it had finished`);
    this.finished.add(runId);
    this.fresh.delete(runId);
  }

  reprioritised({ runId }: RunRow): void {
    this.fresh.delete(runId);
  }

  written(books: MemoryBooks, arch: string, write: Write, row: RunRow | null, epoch: number): void {
    this.require(epoch >= (this.epochs.get(arch) ?? 0), `${arch}: epoch ${epoch} wrote after a newer one`);
    this.epochs.set(arch, Math.max(epoch, this.epochs.get(arch) ?? 0));
    if (write.kind === 'judge-worker') this.judged(arch, write);
    else if (write.kind === 'order-taken') this.orderTaken(arch, books.decisions.find(arch, write.orderId));
    else if ('runId' in write && row) this.runWritten(books, write, row, epoch);
  }

  lifeBegins(incarnation: string): void {
    this.living.add(incarnation);
  }

  lifeEnds(incarnation: string): void {
    this.living.delete(incarnation);
  }

  executionBegins(books: MemoryBooks, runId: number, attempt: number, by: Executor): void {
    const title = `run ${runId} attempt ${attempt}`;
    const granted = books.look(runId)?.attempts.find((row) => row.attempt === attempt);
    const isGranted =
      granted?.worker === by.worker && granted.incarnation === by.incarnation && granted.slot === by.slot;
    this.require(isGranted, `${title}: executed by ${by.worker} slot ${by.slot}, which was not granted it`);
    this.require(!this.executed.has(title), `${title}: executed twice`);
    this.executed.add(title);
  }

  executionStopped(books: MemoryBooks, runId: number, attempt: number): void {
    const row = books.look(runId);
    const stands = row?.attempt === attempt && (row.state === 'leased' || row.state === 'running');
    this.require(!stands, `run ${runId} attempt ${attempt}: stopped although its lease stood`);
  }

  reported(books: MemoryBooks, { runId, verdict }: FinishedReport): void {
    const row = books.look(runId);
    if (row && verdict !== 'tmpfail') this.passing.resultReported(row);
  }

  copyDropped(books: MemoryBooks, storedFiles: ReadonlySet<string>, report: FinishedReport): void {
    const { runId, attempt, verdict, message } = report;
    const title = titleOf(report);
    const row = books.look(runId);
    const ended = row?.attempts.find((each) => each.attempt === attempt);
    const isBooked = ended?.outcome === 'finished' || ended?.outcome === 'failed';
    this.require(isBooked, `${title}: said to be recorded, but is not`);
    for (const { name } of report.files)
      this.require(storedFiles.has(`${runId}/${attempt}/${name}`), `${title}: recorded without its ${name}`);
    if (row?.attempt !== attempt || row.state !== 'finished' || row.cancelled) return;
    const isOwn = row.outcome?.verdict === verdict && row.outcome.message.startsWith(message);
    this.require(isOwn, `run ${runId}: its verdict is not that of its latest attempt's report`);
  }

  /** A worker could not keep the result, and reports that in its place. */
  notKept(report: FinishedReport): void {
    this.unkept.add(titleOf(report));
  }

  reportRefused({ register }: MemoryBooks, report: FinishedReport, isUnreadable: boolean): void {
    const isAllowed = isUnreadable || register.wasRevoked(report.worker);
    this.require(isAllowed, `${titleOf(report)}: its report was refused, though it can be read`);
  }

  /** The worker was told that its result is of no use. */
  resultRefused(books: MemoryBooks, report: FinishedReport): void {
    const row = books.look(report.runId);
    const counts = row?.attempt === report.attempt && !row.cancelled;
    this.require(!counts, `${titleOf(report)}: the result of the latest attempt was thrown away`);
    this.thrownAway.add(`${report.runId}/${report.attempt}`);
  }

  /** More often than calls failed: as if a cancelled run were a reason. */
  loadedForNothing(arch: string): void {
    this.require(false, `${arch}: loaded all runs again though no turn had failed`);
  }

  /** For so long, though nothing that it needs was broken. */
  unserved(arch: string, ms: number): void {
    this.require(false, `${arch}: no dispatcher was at work for ${Math.round(ms / 1000)} s`);
  }

  /** An event of the stream, in its order; what was not marked when the stream was lost comes again. */
  published({ factId, runId }: Fact): void {
    const before = this.streamed.get(runId) ?? 0;
    this.require(factId > before, `run ${runId}: event ${factId} came after event ${before}`);
    this.streamed.set(runId, factId);
    this.told.set(runId, Math.max(factId, this.told.get(runId) ?? 0));
  }

  streamsLost(): void {
    this.streamed.clear();
  }

  /** When everything works again and all had its time. */
  atTheEnd(books: MemoryBooks, storedFiles: ReadonlySet<string>): void {
    for (const order of books.decisions.waiting())
      this.require(false, `order ${order.orderId}: no dispatcher took it in`);
    for (const place of this.trusted) this.require(false, `${place}: trusted, but not taken for sound`);
    for (const row of books.all()) {
      const title = `run ${row.runId}`;
      this.require(row.state === 'finished', `${title}: lost, it is ${row.state}`);
      for (const { name } of row.outcome?.files ?? []) {
        const isStored = storedFiles.has(`${row.runId}/${row.attempt}/${name}`);
        this.require(isStored, `${title}: ${name} is not in the store`);
      }
      this.checkStory(title, books.facts.ofRun(row.runId));
    }
    // A file may stay whose report was lost with its worker's disk: nobody knows of it.
    for (const file of storedFiles) {
      const attempt = file.slice(0, file.lastIndexOf('/'));
      this.require(!this.thrownAway.has(attempt), `${file} is in the store, though it was thrown away`);
    }
  }

  private orderTaken(arch: string, order: Order | undefined): void {
    const place = order?.kind === 'trust' ? `${order.worker} ${arch}` : '';
    if (this.standings.has(place)) this.trusted.add(place);
  }

  private judged(arch: string, { worker, standing, reason }: Judgement): void {
    const place = `${worker} ${arch}`;
    const isObeyed = !this.trusted.delete(place) || reason.startsWith('trusted by');
    this.require(isObeyed, `${place}: trusted, but judged ${standing} since ${reason}`);
    if (standing === 'sound') this.standings.delete(place);
    else this.standings.set(place, standing);
  }

  private runWritten(books: MemoryBooks, write: RunWrite, row: RunRow, epoch: number): void {
    const title = `run ${write.runId}`;
    this.passing.written(write, row, epoch);
    const isOver = this.finished.has(write.runId);
    if (write.kind === 'correct')
      this.require(isOver && !row.cancelled, `${title}: corrected before its end`);
    else this.require(!isOver, `${title}: ${write.kind} after it had finished`);
    if (write.kind === 'take-in' && row.attempt === 0) this.fresh.set(row.runId, row);
    if (write.kind === 'grant') this.grantWritten(books, title, write, row, epoch);
    if (write.kind === 'requeue' && write.outcome === 'expired')
      this.require(!this.isCalm, `${title}: expired although its worker was there`);
    this.checkLoss(title, write, row);
    this.checkSender(books, title, write, row);
    if (write.kind !== 'finish' && write.kind !== 'correct') return;
    this.finished.add(write.runId);
    const { message } = write.outcome;
    const isReported = write.kind === 'correct' || write.attemptOutcome === 'finished';
    const isOwn = !isReported || this.isResultOf(write, message);
    const claim = `"${message}" was booked as the result of attempt ${write.attempt}`;
    this.require(isOwn, `${title}: ${claim}`);
  }

  private isResultOf(attempt: Attempt, message: string): boolean {
    if (message.startsWith(REFUSED)) return true;
    const isUnkept = this.unkept.has(titleOf(attempt));
    return message.startsWith(isUnkept ? NOT_KEPT : resultOf(attempt.runId, attempt.attempt));
  }

  /** A lease is lost with the process that held it, and not before. */
  private checkLoss(title: string, write: RunWrite, row: RunRow): void {
    const isLost =
      (write.kind === 'requeue' && write.outcome === 'lost') ||
      (write.kind === 'finish' && write.attemptOutcome === 'lost');
    const { incarnation = '', worker } = row.attempts.at(-1) ?? {};
    const isDead = !this.living.has(incarnation);
    this.require(!isLost || isDead, `${title}: taken from ${worker}, whose process was alive`);
  }

  /** A report changes something only when its worker may work, as far as its dispatcher can know. */
  private checkSender(books: MemoryBooks, title: string, write: RunWrite, row: RunRow): void {
    const isReported =
      write.kind === 'start' ||
      write.kind === 'correct' ||
      (write.kind === 'finish' && write.attemptOutcome === 'finished') ||
      (write.kind === 'requeue' && write.outcome === 'failed');
    const { worker = '' } = row.attempts.at(-1) ?? {};
    const { arch } = row.request;
    if (!isReported || books.decisions.waiting(arch).length > 0) return;
    this.require(
      books.register.mayWork(worker, arch),
      `${title}: ${write.kind} by ${worker}, which is revoked`,
    );
  }

  private grantWritten(books: MemoryBooks, title: string, write: Grant, row: RunRow, epoch: number): void {
    const expected = (this.granted.get(write.runId) ?? 0) + 1;
    this.require(write.attempt === expected, `${title}: attempt ${write.attempt} granted, not ${expected}`);
    this.granted.set(write.runId, write.attempt);
    for (const other of this.passing.wronglyHeldBack(write, books))
      this.require(
        false,
        `run ${other.runId}: suspected, though its package has had a result since it failed`,
      );
    for (const other of this.passing.forgotten(write, books))
      this.require(false, `run ${other.runId}: not suspected any more, though its package has had no result`);
    this.checkOrder(books, title, write, row, epoch);
    const { arch, suite } = row.request;
    const place = `${write.worker} ${arch}`;
    this.require(
      this.standings.get(place) !== 'quarantined',
      `${title}: granted to ${write.worker}, which is quarantined`,
    );
    // Only a dispatcher that has taken in every order must go by them.
    if (books.decisions.waiting(arch).length > 0) return;
    const { pauses, drains } = books.decisions.standing(arch);
    const isPaused = pauses.some((pause) => pause.suite === null || pause.suite === suite);
    this.require(!isPaused, `${title}: granted although ${suite} is paused`);
    const { worker } = write;
    this.require(books.register.mayWork(worker, arch), `${title}: granted to ${worker}, which is revoked`);
    const isAllowed = !row.request.isPrivate || books.register.mayRunPrivate(worker);
    this.require(isAllowed, `${title}: granted to ${worker}, though it is private`);
    const isDrained = drains.some((drain) => drain.worker === worker);
    this.require(!isDrained, `${title}: granted to ${worker}, which is drained`);
  }

  /**
   * Between fresh runs of one suite nothing but the priority decides, as long as nobody waits for hours and no package is
   * suspected.
   */
  private checkOrder(books: MemoryBooks, title: string, write: Grant, row: RunRow, epoch: number): void {
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
    this.require(ends.length === 1, `${title}: ${ends.length} facts tell its end`);
    const told = this.told.get(facts[0]?.runId ?? 0);
    const last = facts.at(-1)?.factId;
    this.require(told === last, `${title}: its last event is ${told}, its last fact ${last}`);
  }

  private require(condition: boolean, violation: string): void {
    if (condition) return;
    this.violations.push(violation);
    this.violated(violation);
  }
}

function titleOf({ runId, attempt }: Attempt): string {
  return `run ${runId} attempt ${attempt}`;
}

/** The message of a result names its attempt, so that a result booked under another is seen. */
export function resultOf(runId: number, attempt: number): string {
  return `result of run ${runId} attempt ${attempt}`;
}
