import type { RunRequest } from '@proctor/contracts';
import {
  type Arrivals,
  type AttemptOfWorker,
  type CountedPart,
  type CountLimits,
  StaleEpoch,
  type DispatchedRun,
  type Journal,
  keyOf,
  type LinePlace,
  type LineStretch,
  type LoadedRows,
  type Order,
  type Ownership,
  type OwnershipRegister,
  type RegisteredWorker,
  type ReportState,
  type Restrictions,
  type JournalPosition,
  type WorkerJudgement,
  type Write,
} from '@proctor/dispatch';
import { MemoryDecisions } from './memory-decisions';
import { MemoryFacts } from './memory-facts';
import { MemoryLearning } from './memory-learning';
import { MemoryRegister } from './memory-register';
import { MemoryOwnership } from './memory-ownership';
import { byArrival, linesOf, partsOf, placeOf } from './memory-lines';
import { apply, dispatchedRun, endAttempt, factOf, isGrantOf, moves, type RunRow } from './memory-rows';

export type { AttemptRow, RunRow } from './memory-rows';

interface JudgementRow extends Omit<WorkerJudgement, 'agoMs'> {
  arch: string;
  atMs: number;
}

/** Gets each committed write, with the run that it is about, if any. */
type OnWrite = (arch: string, write: Write, row: RunRow | null, epoch: number) => void;

/** The database in memory: the same promises as PostgreSQL's, by the same contract. */
export class MemoryBooks implements Journal, OwnershipRegister {
  readonly facts: MemoryFacts;
  readonly decisions: MemoryDecisions;
  readonly register: MemoryRegister;
  private readonly ownership: MemoryOwnership;
  private readonly learned: MemoryLearning;
  private rows = new Map<number, RunRow>();
  private judgementRows: JudgementRow[] = [];
  private lastRunId = 0;

  /**
   * @param nowMs the database's own clock
   * @param workers those of the register
   * @param random from 0 up to 1
   * @param Owners what keeps the ownerships
   */
  constructor(
    private readonly nowMs: () => number,
    private readonly onWrite: OnWrite = () => undefined,
    workers: RegisteredWorker[] = [],
    random: () => number = Math.random,
    Owners = MemoryOwnership,
  ) {
    this.facts = new MemoryFacts(nowMs);
    this.learned = new MemoryLearning(nowMs);
    this.ownership = new Owners(nowMs, random);
    const owned = (): string[] => this.ownership.architectures;
    this.decisions = new MemoryDecisions(nowMs, owned);
    this.register = new MemoryRegister(this.decisions, owned, workers);
  }

  /**
   * The database as it is now, without what is not committed.
   * @returns what brings it back, as from a backup
   */
  copy(): () => void {
    const committed = [...this.rows].filter(([, row]) => row.committed);
    const { lastRunId, judgementRows, facts, decisions, register, ownership, learned } = this;
    const own = structuredClone({ rows: new Map(committed), judgementRows, lastRunId });
    const parts = [facts, decisions, register, ownership, learned].map((part) => part.copy());
    return () => {
      Object.assign(this, own);
      for (const bringBack of parts) bringBack();
      this.facts.keepThoseOf(this.rows);
    };
  }

  /** Draws an id; the run can be seen once it is committed. */
  draw(request: RunRequest, requestor = 'ada'): RunRow {
    const row: RunRow = {
      ...{ runId: ++this.lastRunId, request, requestor, arrivedAt: this.nowMs(), committed: false },
      ...{ state: 'queued', attempt: 0, worker: null, outcome: null, cancelled: false },
      attempts: [],
    };
    this.rows.set(row.runId, row);
    this.facts.add(row, { kind: 'requested', actor: `user ${requestor}`, reason: null });
    return row;
  }

  /** False when the run has finished before. */
  cancel(runId: number, by: string, reason: string | null = null): boolean {
    const row = this.rows.get(runId);
    if (!row?.committed || !moves(row, 'cancel')) return false;
    const message = `cancelled by ${by}` + (reason === null ? '' : `: ${reason}`);
    const nothing = { exitCode: null, version: null, durationSeconds: null, files: [], tests: [] };
    Object.assign(row, { cancelled: true, outcome: { verdict: 'tmpfail', message, ...nothing } });
    if (row.attempts.at(-1)?.outcome === null) endAttempt(row, 'cancelled', this.nowMs());
    const { attempt, worker } = row;
    const grantEpoch = row.attempts.at(-1)?.epoch ?? 0;
    this.decisions.order(row.request.arch, {
      kind: 'cancel',
      runId,
      by,
      attempt,
      grantEpoch,
      worker,
      place: placeOf(row),
    });
    this.facts.add(row, { kind: 'cancelled', actor: `user ${by}`, reason });
    return true;
  }

  /** False when the run does not wait, or has this priority. */
  reprioritise(runId: number, priority: number, by: string, reason: string | null = null): boolean {
    const row = this.rows.get(runId);
    if (!row?.committed || row.state !== 'queued' || row.request.priority === priority) return false;
    const before = row.request.priority;
    row.request = { ...row.request, priority };
    this.decisions.order(row.request.arch, { kind: 'reprioritise', runId, priority, place: placeOf(row) });
    const change = `from ${before} to ${priority}` + (reason === null ? '' : `: ${reason}`);
    this.facts.add(row, { kind: 'reprioritised', actor: `user ${by}`, reason: change });
    return true;
  }

  /** False when the run is public. */
  publish(runId: number, by: string): boolean {
    const row = this.rows.get(runId);
    if (!row?.committed || !row.request.isPrivate) return false;
    row.request = { ...row.request, isPrivate: false };
    if (row.state !== 'finished')
      this.decisions.order(row.request.arch, { kind: 'publish', runId, place: placeOf(row) });
    this.facts.add(row, { kind: 'published', actor: `user ${by}`, reason: null });
    return true;
  }

  /** Takes the worker for sound wherever it is not. @returns those architectures */
  trust(worker: string, by: string, reason: string | null = null): string[] {
    const judging = this.ownership.architectures.filter((arch) =>
      this.judgements(arch).some((judgement) => judgement.worker === worker),
    );
    this.decisions.trust(judging, worker, by, reason);
    return judging;
  }

  /** Ids of runs with an order that no dispatcher has ingested. */
  get ordersWaiting(): number[] {
    return this.decisions.waiting().flatMap((order) => ('runId' in order ? [order.runId] : []));
  }

  look(runId: number): RunRow | undefined {
    return this.rows.get(runId);
  }

  all(): RunRow[] {
    return [...this.rows.values()];
  }

  async load(arch: string, usageHalfLifeMs: number, perLineMax = Infinity): Promise<LoadedRows> {
    const lines = linesOf(this.inLine(arch)).map((line) => line.slice(0, perLineMax));
    const granted = this.visible(arch, (row) => row.state !== 'finished' && row.attempt > 0);
    return Promise.resolve({
      runs: [...granted, ...lines.flat()].sort(byArrival),
      edges: lines.filter(({ length }) => length >= perLineMax).map((line) => ({ ...line.at(-1)! })),
      position: this.seenBut(() => false),
      restrictions: this.decisions.restrictions(arch),
      workers: this.register.all(),
      judgements: this.judgements(arch),
      usage: this.learned.usage(arch, usageHalfLifeMs),
      durations: this.learned.durations(arch),
    });
  }

  async nextOfLine(arch: string, after: LinePlace, limit: number): Promise<DispatchedRun[]> {
    return Promise.resolve(this.beyond(arch, after).slice(0, limit));
  }

  async countBeyond(arch: string, stretches: LineStretch[], limits: CountLimits): Promise<CountedPart[][]> {
    const parts = stretches.map(({ place, after, upTo }) => {
      const { arrivedAt, runId } = after;
      return partsOf(this.beyond(arch, { ...place, arrivedAt, runId }), upTo, limits);
    });
    return Promise.resolve(parts);
  }

  async lastBeyond(arch: string, edges: LinePlace[]): Promise<DispatchedRun[]> {
    return Promise.resolve(edges.flatMap((edge) => this.beyond(arch, edge).at(-1) ?? []));
  }

  async listUnfinished(arch: string, runIds: number[]): Promise<DispatchedRun[]> {
    return Promise.resolve(
      this.visible(arch, (row) => row.state !== 'finished' && runIds.includes(row.runId)),
    );
  }

  async restrictions(arch: string): Promise<Restrictions> {
    return Promise.resolve(this.decisions.restrictions(arch));
  }

  async workers(): Promise<RegisteredWorker[]> {
    return Promise.resolve(this.register.all());
  }

  async arrivals(arch: string, limit: number, position: JournalPosition = '[0]'): Promise<Arrivals> {
    const [upTo = 0, ...without] = JSON.parse(position) as number[];
    const isNew = ({ runId }: RunRow) => runId > upTo || without.includes(runId);
    const waiting = this.visible(arch, (row) => isNew(row) && row.state === 'queued' && row.attempt === 0);
    const runs = waiting.slice(0, limit);
    const others = new Set(waiting.slice(limit).map(({ runId }) => runId));
    const nowSeen = this.seenBut(({ runId }) => others.has(runId));
    return Promise.resolve({ runs, position: nowSeen, more: others.size > 0 });
  }

  async orders(arch: string, limit: number): Promise<Order[]> {
    return Promise.resolve(this.decisions.waiting(arch).slice(0, limit));
  }

  async reportState(report: AttemptOfWorker): Promise<ReportState> {
    const row = this.rows.get(report.runId);
    const attempt = row?.attempts.find(
      (each) => each.worker === report.worker && isGrantOf(row, each, report),
    );
    if (!row || !attempt) return Promise.resolve('foreign');
    if (attempt.outcome === 'finished' || attempt.outcome === 'failed') return Promise.resolve('reported');
    if (row.attempt !== attempt.attempt) return Promise.resolve('over');
    if (row.state !== 'finished') return Promise.resolve('counts');
    const isLate = !row.cancelled && (attempt.outcome === 'expired' || attempt.outcome === 'lost');
    return Promise.resolve(isLate ? 'late' : 'over');
  }

  async commit(arch: string, epoch: number, writes: Write[]): Promise<Write[]> {
    if (!this.ownership.isOwnedUnder(arch, epoch)) throw new StaleEpoch(arch, epoch);
    const refusals: Write[] = [];
    const refusedRuns = new Set<number>();
    for (const write of writes) {
      const isFollowing = 'runId' in write && refusedRuns.has(write.runId);
      if (!isFollowing && this.apply(arch, epoch, write)) {
        this.onWrite(arch, write, this.rowOf(write) ?? null, epoch);
        continue;
      }
      refusals.push(write);
      if ('runId' in write) refusedRuns.add(write.runId);
    }
    return Promise.resolve(refusals);
  }

  reportAlive(scheduler: string, ttlMs: number): Promise<string[]> {
    return this.ownership.reportAlive(scheduler, ttlMs);
  }

  claim(arch: string, scheduler: string, ttlMs: number): Promise<Ownership | null> {
    return this.ownership.claim(arch, scheduler, ttlMs);
  }

  release(arch: string, scheduler: string): Promise<void> {
    return this.ownership.release(arch, scheduler);
  }

  stepAside(scheduler: string, ttlMs: number): Promise<string[]> {
    return this.ownership.stepAside(scheduler, ttlMs);
  }

  withdraw(scheduler: string): Promise<void> {
    return this.ownership.withdraw(scheduler);
  }

  /** False when the write is not allowed: nothing was changed. */
  private apply(arch: string, epoch: number, write: Write): boolean {
    if (write.kind === 'ingest-order') {
      const order = this.decisions.find(arch, write.orderId);
      if (order) order.takenIn = true;
      return order !== undefined;
    }
    if (write.kind === 'usage') {
      this.learned.use(arch, write);
      return true;
    }
    if (write.kind === 'judge-worker') {
      const { worker, standing, reason } = write;
      this.judgementRows.push({ arch, worker, standing, reason, atMs: this.nowMs() });
      return true;
    }
    const row = this.rows.get(write.runId);
    if (!row?.committed || row.request.arch !== arch) return false;
    const before = structuredClone(row);
    if (!apply(row, write, epoch, this.nowMs())) {
      Object.assign(row, before);
      return false;
    }
    const fact = factOf(row, write);
    if (fact) this.facts.add(row, fact);
    const isResult =
      write.kind === 'correct' || (write.kind === 'finish' && write.attemptOutcome === 'finished');
    if (isResult && row.outcome) this.learned.learn(row, row.outcome);
    return true;
  }

  private rowOf(write: Write): RunRow | undefined {
    return 'runId' in write ? this.rows.get(write.runId) : undefined;
  }

  private judgements(of: string): WorkerJudgement[] {
    const newest = new Map<string, WorkerJudgement>();
    for (const { arch, atMs, ...judgement } of this.judgementRows)
      if (arch === of)
        newest.set(judgement.worker, { ...judgement, agoMs: Math.max(0, this.nowMs() - atMs) });
    return [...newest.values()]
      .filter(({ standing }) => standing !== 'sound')
      .sort((a, b) => (a.worker < b.worker ? -1 : 1));
  }

  /** All up to the last one but those that are not committed, or match: the last id, and the ids of these. */
  private seenBut(matches: (row: RunRow) => boolean): JournalPosition {
    const without = this.all().filter((row) => !row.committed || matches(row));
    return JSON.stringify([this.lastRunId, ...without.map(({ runId }) => runId)]);
  }

  /** Runs that wait and were never granted. */
  private inLine(arch: string): DispatchedRun[] {
    return this.visible(arch, (row) => row.state === 'queued' && row.attempt === 0);
  }

  private beyond(arch: string, place: LinePlace): DispatchedRun[] {
    return this.inLine(arch).filter((run) => keyOf(run) === keyOf(place) && byArrival(run, place) > 0);
  }

  private visible(arch: string, matches: (row: RunRow) => boolean): DispatchedRun[] {
    return this.all()
      .filter((row) => row.committed && row.request.arch === arch && matches(row))
      .sort(byArrival)
      .map((row) => dispatchedRun(row, this.nowMs()));
  }
}
