import { withTimeLimit, type Clock } from '@proctor/clock';
import type {
  Arrivals,
  CountedPart,
  CountLimits,
  DispatchedRun,
  Journal,
  LinePlace,
  LineStretch,
  LoadedRows,
  Order,
  RegisteredWorker,
  Restrictions,
  JournalPosition,
  Write,
} from '@proctor/dispatch';

export interface JournalLimits {
  /** A turn is not written after this time; milliseconds, as everywhere here. */
  turnTimeoutMs: number;
  /** The time limit to load all runs, or to count some of the waiting ones. */
  loadTimeoutMs: number;
}

/** How much longer the answer may take, so that a turn that failed by its limit has ended in the database, too. */
const ANSWER_MS = 1_000;

/**
 * The journal with a time limit on each call, measured by the dispatcher's own clock. @throws TimedOut when a call
 * takes longer
 */
export class LimitedJournal implements Omit<Journal, 'reportState'> {
  /** @param limits returns the limits in use at the moment of the call */
  constructor(
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly limits: () => JournalLimits,
  ) {}

  load(arch: string, usageHalfLifeMs: number, perLineMax: number): Promise<LoadedRows> {
    const { loadTimeoutMs } = this.limits();
    const loading = this.journal.load(arch, usageHalfLifeMs, perLineMax);
    return withTimeLimit(loading, 'loading', loadTimeoutMs, this.clock);
  }

  nextOfLine(arch: string, after: LinePlace, limit: number): Promise<DispatchedRun[]> {
    return this.call('reading runs', this.journal.nextOfLine(arch, after, limit));
  }

  countBeyond(arch: string, stretches: LineStretch[], limits: CountLimits): Promise<CountedPart[][]> {
    // This call may wait for the counts of other architectures. A shorter limit would lead to a second request for the
    // same count.
    const counting = this.journal.countBeyond(arch, stretches, limits);
    return withTimeLimit(counting, 'counting runs', this.limits().loadTimeoutMs, this.clock);
  }

  lastBeyond(arch: string, edges: LinePlace[]): Promise<DispatchedRun[]> {
    return this.call('reading runs', this.journal.lastBeyond(arch, edges));
  }

  listUnfinished(arch: string, runIds: number[]): Promise<DispatchedRun[]> {
    return this.call('reading runs', this.journal.listUnfinished(arch, runIds));
  }

  restrictions(arch: string): Promise<Restrictions> {
    return this.call('reading decisions', this.journal.restrictions(arch));
  }

  workers(): Promise<RegisteredWorker[]> {
    return this.call('reading the register of workers', this.journal.workers());
  }

  arrivals(arch: string, limit: number, position?: JournalPosition): Promise<Arrivals> {
    return this.call('reading arrivals', this.journal.arrivals(arch, limit, position));
  }

  orders(arch: string, limit: number): Promise<Order[]> {
    return this.call('reading orders', this.journal.orders(arch, limit));
  }

  commit(arch: string, epoch: number, writes: Write[]): Promise<Write[]> {
    return this.call('a commit', this.journal.commit(arch, epoch, writes, this.limits().turnTimeoutMs));
  }

  private call<T>(what: string, work: Promise<T>): Promise<T> {
    return withTimeLimit(work, what, this.limits().turnTimeoutMs + ANSWER_MS, this.clock);
  }
}
