import type { Clock } from '@proctor/clock';
import type { Fact } from '@proctor/contracts';
import type {
  AttemptOfWorker,
  DispatchedRun,
  Journal,
  Loaded,
  Order,
  Ownership,
  OwnershipRegister,
  ReportState,
  Standing,
  Write,
} from '@proctor/dispatch';
import type { MemoryBooks } from '../memory-books';
import type { Faults } from './faults';
import type { Random } from './random';
import type { SimulatedProcess } from './simulated-process';

/** What all connections to the database have in common. */
export interface Database {
  books: MemoryBooks;
  /** The world's clock: a statement goes on whatever becomes of the process that sent it. */
  clock: Clock;
  random: Random;
  faults: Faults;
  away: boolean;
  /** Runs whose start cannot be written, whatever else the turn holds. */
  refusedStarts: Set<number>;
  /** Somebody cancels the run, if it has not finished. */
  cancel(runId: number): void;
  /** A dispatcher has loaded its runs more often than its calls to the database failed. */
  loadedForNothing(arch: string): void;
}

/** One dispatcher's or scheduler's connection to the database: it takes time, and it fails. */
export class FaultyBooks implements Journal, OwnershipRegister {
  private loads = 0;
  /** Turns that failed, or whose answer did not come in time. */
  private failures = 0;

  constructor(
    private readonly database: Database,
    private readonly process: SimulatedProcess,
  ) {}

  async load(arch: string, usageHalfLifeMs: number): Promise<Loaded> {
    const loaded = await this.call((books) => books.load(arch, usageHalfLifeMs));
    this.loads += 1;
    // The first is that of the tenure; a process that was stopped may take an answer for late that was not.
    if (this.loads > 1 + this.failures + this.process.stops) this.database.loadedForNothing(arch);
    return loaded;
  }

  unfinished(arch: string, runIds: number[]): Promise<DispatchedRun[]> {
    return this.counted(this.call((books) => books.unfinished(arch, runIds)));
  }

  standing(arch: string): Promise<Standing> {
    return this.call((books) => books.standing(arch));
  }

  arrivals(arch: string, limit: number): Promise<DispatchedRun[]> {
    return this.call((books) => books.arrivals(arch, limit));
  }

  orders(arch: string, limit: number): Promise<Order[]> {
    return this.call((books) => books.orders(arch, limit));
  }

  reportState(attempt: AttemptOfWorker): Promise<ReportState> {
    return this.call((books) => books.reportState(attempt));
  }

  unpublished(arch: string, limit: number): Promise<Fact[]> {
    return this.call((books) => Promise.resolve(books.facts.unpublished(arch, limit)));
  }

  markPublished(facts: Pick<Fact, 'factId' | 'at'>[]): Promise<void> {
    return this.call((books) => Promise.resolve(books.facts.markPublished(facts)));
  }

  commit(arch: string, epoch: number, writes: Write[], timeoutMs = Infinity): Promise<Write[]> {
    const { faults, random } = this.database;
    const isHung = faults.strikes('turn hung', 0.003);
    const slowMs = faults.strikes('turn slow', 0.02) ? random.between(500, 5_000) : 0;
    const committed = this.call(async (books) => {
      await this.passes(Math.min(slowMs, timeoutMs));
      if (slowMs >= timeoutMs) throw new Error('the turn took too long');
      // It may have been written or not: nobody is told.
      if (isHung && random.chance(0.5)) return [];
      return this.write(books, arch, epoch, writes);
    });
    if (!isHung) return this.counted(committed);
    this.failures += 1;
    committed.catch(() => undefined);
    return new Promise(() => undefined);
  }

  private async write(books: MemoryBooks, arch: string, epoch: number, writes: Write[]): Promise<Write[]> {
    const { faults, refusedStarts, random } = this.database;
    if (writes.some((write) => write.kind === 'start' && refusedStarts.has(write.runId))) {
      faults.note('message that the database refuses');
      throw new Error('the database refuses this start');
    }
    if (faults.strikes('turn refused', 0.01)) throw new Error('the turn was not committed');
    const runIds = writes.flatMap((write) => ('runId' in write ? [write.runId] : []));
    if (runIds.length > 0 && faults.strikes('run cancelled during a turn', 0.01))
      this.database.cancel(random.pick(runIds));
    const leftOut = await books.commit(arch, epoch, writes);
    if (faults.strikes('turn committed, but not confirmed', 0.01)) throw new Error('the connection was lost');
    return leftOut;
  }

  announce(scheduler: string, ttlMs: number): Promise<string[]> {
    return this.call((books) => books.announce(scheduler, ttlMs));
  }

  claim(arch: string, scheduler: string, ttlMs: number): Promise<Ownership | null> {
    return this.call((books) => books.claim(arch, scheduler, ttlMs));
  }

  release(arch: string, scheduler: string): Promise<void> {
    return this.call((books) => books.release(arch, scheduler));
  }

  withdraw(scheduler: string): Promise<void> {
    return this.call((books) => books.withdraw(scheduler));
  }

  private call<T>(statement: (books: MemoryBooks) => Promise<T>): Promise<T> {
    return this.process.gate(this.travel(statement));
  }

  private async travel<T>(statement: (books: MemoryBooks) => Promise<T>): Promise<T> {
    await this.latency();
    if (this.database.away) throw new Error('the database is away');
    const answer = await statement(this.database.books);
    await this.latency();
    return answer;
  }

  private counted<T>(call: Promise<T>): Promise<T> {
    return call.catch((error: unknown) => {
      this.failures += 1;
      throw error;
    });
  }

  private latency(): Promise<void> {
    return this.passes(this.database.random.between(0, 20));
  }

  private passes(ms: number): Promise<void> {
    return new Promise((resolve) => this.database.clock.after(ms, resolve));
  }
}
