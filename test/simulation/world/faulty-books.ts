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
}

/** One scheduler's connection to the database: it takes time, and it fails. */
export class FaultyBooks implements Journal, OwnershipRegister {
  constructor(
    private readonly database: Database,
    private readonly process: SimulatedProcess,
  ) {}

  load(arch: string, usageHalfLifeMs: number): Promise<Loaded> {
    return this.call((books) => books.load(arch, usageHalfLifeMs));
  }

  unfinished(arch: string, runIds: number[]): Promise<DispatchedRun[]> {
    return this.call((books) => books.unfinished(arch, runIds));
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

  markPublished(factIds: number[]): Promise<void> {
    return this.call((books) => Promise.resolve(books.facts.markPublished(factIds)));
  }

  commit(arch: string, epoch: number, writes: Write[]): Promise<Write[]> {
    const { faults, refusedStarts } = this.database;
    return this.call(async (books) => {
      if (writes.some((write) => write.kind === 'start' && refusedStarts.has(write.runId))) {
        faults.note('message that the database refuses');
        throw new Error('the database refuses this start');
      }
      if (faults.strikes('turn refused', 0.01)) throw new Error('the turn was not committed');
      const refused = await books.commit(arch, epoch, writes);
      if (faults.strikes('turn committed, but not confirmed', 0.01))
        throw new Error('the connection was lost');
      return refused;
    });
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

  private latency(): Promise<void> {
    const { clock, random } = this.database;
    return new Promise((resolve) => clock.after(random.between(0, 20), resolve));
  }
}
