import type { Fact } from '@proctor/contracts';
import { DatabaseUnavailable } from '@proctor/database';
import type {
  Arrivals,
  AttemptOfWorker,
  CountedPart,
  CountLimits,
  DispatchedRun,
  Journal,
  LinePlace,
  LineStretch,
  LoadedRows,
  Order,
  Ownership,
  OwnershipRegister,
  RegisteredWorker,
  ReportState,
  Restrictions,
  JournalPosition,
  Write,
} from '@proctor/dispatch';
import type { MemoryBooks } from '../memory-books';
import type { SimulatedDatabase } from './simulated-database';
import type { SimulatedProcess } from './simulated-process';

/** After so long the product's connection gives a statement up, by its process's clock. */
const ANSWER_TIMEOUT_MS = 5_000;
/** A turn that came to its end within this time has been waited for. */
const WAITED_FOR_MS = 2_000;

/** One dispatcher's or scheduler's connection to the database: it takes time, and it fails. */
export class FaultyBooks implements Journal, OwnershipRegister {
  private loads = 0;
  /** Turns that failed, or whose answer did not come in time. */
  private failures = 0;
  /** The last runs that were given to its dispatcher. */
  private answered: Pick<Arrivals, 'runs' | 'position'> | null = null;
  /** The ids of the runs that its dispatcher has had in memory since its last commit. */
  private readonly knownIds = new Set<number>();

  constructor(
    private readonly database: SimulatedDatabase,
    private readonly process: SimulatedProcess,
  ) {}

  /** May hang for longer than any caller waits. */
  async load(arch: string, usageHalfLifeMs: number, perLineMax: number): Promise<LoadedRows> {
    const { random, faults, events } = this.database;
    const hungMs = faults.strikes('load hung', 0.05) ? random.between(10_000, 150_000) : 0;
    if (hungMs > 0) events.loadHangs(arch, hungMs);
    const loaded = await this.call(async (books) => {
      await this.passes(hungMs);
      return books.load(arch, usageHalfLifeMs, perLineMax);
    }, Infinity);
    // One that hung may have been given up: another was counted in its place.
    if (hungMs === 0) this.loads += 1;
    // The first is that of the term; a process that was stopped may take an answer for late that was not.
    if (this.loads > 1 + this.failures + this.process.stops) events.loadedForNothing(arch);
    this.answered = loaded;
    return loaded;
  }

  listUnfinished(arch: string, runIds: number[]): Promise<DispatchedRun[]> {
    return this.counted(this.call((books) => books.listUnfinished(arch, runIds)));
  }

  /** One that fails makes its dispatcher load again. */
  nextOfLine(arch: string, after: LinePlace, limit: number): Promise<DispatchedRun[]> {
    return this.counted(this.call((books) => books.nextOfLine(arch, after, limit)));
  }

  countBeyond(arch: string, stretches: LineStretch[], limits: CountLimits): Promise<CountedPart[][]> {
    return this.call((books) => books.countBeyond(arch, stretches, limits));
  }

  lastBeyond(arch: string, edges: LinePlace[]): Promise<DispatchedRun[]> {
    return this.call((books) => books.lastBeyond(arch, edges));
  }

  restrictions(arch: string): Promise<Restrictions> {
    return this.call((books) => books.restrictions(arch));
  }

  workers(): Promise<RegisteredWorker[]> {
    return this.call((books) => books.workers());
  }

  async arrivals(arch: string, limit: number, position?: JournalPosition): Promise<Arrivals> {
    // Its last answer was taken, and the turn that read it is over.
    if (this.answered?.position === position)
      for (const { runId } of this.answered?.runs ?? []) this.knownIds.add(runId);
    const arrived = await this.call((books) => books.arrivals(arch, limit, position));
    this.answered = arrived;
    this.database.events.polled(arch);
    return arrived;
  }

  orders(arch: string, limit: number): Promise<Order[]> {
    return this.call((books) => books.orders(arch, limit));
  }

  reportState(attempt: AttemptOfWorker): Promise<ReportState> {
    return this.call((books) => books.reportState(attempt));
  }

  listUnpublished(arch: string, limit: number): Promise<Fact[]> {
    return this.call((books) => Promise.resolve(books.facts.listUnpublished(arch, limit)));
  }

  markPublished(facts: Pick<Fact, 'factId' | 'at'>[]): Promise<void> {
    return this.call((books) => Promise.resolve(books.facts.markPublished(facts)));
  }

  commit(arch: string, epoch: number, writes: Write[], timeoutMs = Infinity): Promise<Write[]> {
    const { faults, random, isSlow } = this.database;
    const isHung = faults.strikes('turn hung', 0.003);
    const slowMs = isSlow || faults.strikes('turn slow', 0.02) ? random.between(500, 5_000) : 0;
    const committed = this.call(async (books) => {
      await this.passes(Math.min(slowMs, timeoutMs));
      if (slowMs >= timeoutMs) throw unavailable('the turn took too long');
      // It may have been written or not: the caller does not learn it.
      if (isHung && random.chance(0.5)) return [];
      return this.write(books, arch, epoch, writes);
    }, Infinity);
    const result = this.counted(committed);
    if (!isHung) return result;
    result.catch(() => undefined);
    this.failures += 1;
    return new Promise(() => undefined);
  }

  private async write(books: MemoryBooks, arch: string, epoch: number, writes: Write[]): Promise<Write[]> {
    const { faults, refusedStarts, random, events } = this.database;
    if (writes.some((write) => write.kind === 'start' && refusedStarts.has(write.runId))) {
      faults.note('message that the database refuses');
      throw new Error('the database refuses this start');
    }
    if (faults.strikes('turn refused', 0.01)) throw unavailable('the turn was not committed');
    const runIds = writes.flatMap((write) => ('runId' in write ? [write.runId] : []));
    const granted = writes.flatMap((write) => (write.kind === 'grant' ? [write.runId] : []));
    if (runIds.length > 0 && faults.strikes('run cancelled during a turn', granted.length > 0 ? 0.03 : 0.01))
      events.cancel(random.pick(granted.length > 0 ? granted : runIds));
    const leftOut = await books.commit(arch, epoch, writes);
    events.known(this.knownIds);
    this.knownIds.clear();
    if (faults.strikes('turn committed, but not confirmed', 0.01))
      throw unavailable('the connection was lost');
    return leftOut;
  }

  reportAlive(scheduler: string, ttlMs: number): Promise<string[]> {
    return this.call((books) => books.reportAlive(scheduler, ttlMs));
  }

  claim(arch: string, scheduler: string, ttlMs: number): Promise<Ownership | null> {
    return this.call((books) => books.claim(arch, scheduler, ttlMs));
  }

  release(arch: string, scheduler: string): Promise<void> {
    return this.call((books) => books.release(arch, scheduler));
  }

  stepAside(scheduler: string, ttlMs: number): Promise<string[]> {
    return this.call((books) => books.stepAside(scheduler, ttlMs));
  }

  withdraw(scheduler: string): Promise<void> {
    return this.call((books) => books.withdraw(scheduler));
  }

  /** @param patienceMs after this time the call fails for lack of an answer */
  private call<T>(statement: (books: MemoryBooks) => Promise<T>, patienceMs = ANSWER_TIMEOUT_MS): Promise<T> {
    return this.process.gate(this.travel(statement, patienceMs));
  }

  private async travel<T>(statement: (books: MemoryBooks) => Promise<T>, patienceMs: number): Promise<T> {
    const { database } = this;
    await this.latency();
    if (database.isAway) throw unavailable('it is away');
    const now = database.clock.now();
    const swallowedMs = now - (database.swallowed.get(this.process) ?? Infinity);
    // Only what was sent on a connection of before may have arrived: no new one is made meanwhile.
    if (swallowedMs >= 0)
      return this.unanswered(swallowedMs < ANSWER_TIMEOUT_MS ? statement : null, 0, patienceMs);
    const frozenMs = database.frozenUntilMs - now;
    if (frozenMs > patienceMs) return this.unanswered(statement, frozenMs, patienceMs);
    if (frozenMs > 0) await this.passes(frozenMs);
    const answer = await statement(database.books);
    await this.latency();
    return answer;
  }

  /** The statement, if any, is executed after `ms`, or never; its caller gets no answer. */
  private unanswered<T>(
    statement: ((books: MemoryBooks) => Promise<T>) | null,
    ms: number,
    patienceMs: number,
  ): Promise<never> {
    const { random, books } = this.database;
    if (statement && random.chance(0.5))
      this.passes(ms)
        .then(() => statement(books))
        .catch(() => undefined);
    return new Promise((_resolve, reject) => {
      if (patienceMs < Infinity)
        this.process.clock.after(patienceMs, () => reject(unavailable('it does not answer')));
    });
  }

  /** A turn counts as failed until it has come to its end in time. */
  private async counted<T>(call: Promise<T>): Promise<T> {
    const begunMs = this.process.clock.now();
    this.failures += 1;
    const answer = await call;
    if (this.process.clock.now() - begunMs < WAITED_FOR_MS) this.failures -= 1;
    return answer;
  }

  private latency(): Promise<void> {
    const { random, isSlow } = this.database;
    return this.passes(isSlow ? random.between(50, 400) : random.between(0, 20));
  }

  private async passes(ms: number): Promise<void> {
    const { clock, lives } = this.database;
    if (ms > 0) await new Promise<void>((resolve) => clock.after(ms, resolve));
    if (this.database.lives !== lives) throw unavailable('the connection was lost');
  }
}

function unavailable(why: string): DatabaseUnavailable {
  return new DatabaseUnavailable(new Error(why));
}
