import type { Clock } from '@proctor/clock';
import type { MemoryBooks } from '../memory-books';
import type { FaultInjector } from './fault-injector';
import type { Random } from './random';
import type { SimulatedProcess } from './simulated-process';

export interface DatabaseParts {
  books: MemoryBooks;
  /** The world's clock: a statement goes on whatever becomes of the process that sent it. */
  clock: Clock;
  random: Random;
  faults: FaultInjector;
}

/** What the world learns about the database. */
export interface DatabaseEvents {
  /** A user cancels the run, if it has not finished; no dispatcher gets a signal. */
  cancel(runId: number): void;
  /** A dispatcher has loaded its runs more often than its calls to the database failed. */
  loadedForNothing(arch: string): void;
  /** Loading the runs of the architecture will take so long, unless its caller gives it up. */
  loadHangs(arch: string, ms: number): void;
  /** The database is about to be restored by this. */
  restored(bringBack: () => void): void;
  /** A dispatcher that has its runs in memory has looked for more. */
  polled(arch: string): void;
  /** The architecture's owner has these runs in its memory. */
  known(runIds: Iterable<number>): void;
}

const ignore = (): void => undefined;
const NOTHING = {
  cancel: ignore,
  loadedForNothing: ignore,
  loadHangs: ignore,
  restored: ignore,
  polled: ignore,
  known: ignore,
};

/** PostgreSQL: what all connections to it have in common. */
export class SimulatedDatabase {
  readonly books: MemoryBooks;
  readonly clock: Clock;
  readonly random: Random;
  readonly faults: FaultInjector;
  /** Every call fails at once. */
  isAway = false;
  /** Every answer takes as long as a turn of half a second to several needs. */
  isSlow = false;
  /** How often it was begun: what is on its way on a connection of an earlier time fails. */
  lives = 1;
  /** How far its clock, by which the books go, is ahead of the world's. */
  clockStepMs = 0;
  /** The time by the world's clock until which no statement is executed and no caller gets an answer. */
  frozenUntilMs = -Infinity;
  /** Processes whose connections carry nothing, without an error on either side; since when, by the world's clock. */
  readonly swallowed = new Map<SimulatedProcess, number>();
  /** Runs whose start cannot be written, whatever else the turn holds. */
  readonly refusedStarts = new Set<number>();

  constructor(
    parts: DatabaseParts,
    readonly events: DatabaseEvents = NOTHING,
  ) {
    ({ books: this.books, clock: this.clock, random: this.random, faults: this.faults } = parts);
  }

  /** Brings it to an earlier moment; it is away until it is brought back. */
  restore(bringBack: () => void): void {
    this.isAway = true;
    this.lives += 1;
    this.events.restored(bringBack);
  }

  /** Everything works again. */
  mend(): void {
    this.isAway = this.isSlow = false;
    this.frozenUntilMs = -Infinity;
    this.swallowed.clear();
    this.refusedStarts.clear();
  }
}
