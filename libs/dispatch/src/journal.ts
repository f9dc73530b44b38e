import type { AttemptOutcome, Grant, WorkerStanding } from '@proctor/contracts';
import type {
  DispatchedRun,
  RunOutcome,
  Order,
  WorkerJudgement,
  RegisteredWorker,
  Restrictions,
  LinePlace,
  QueuePlace,
} from './journal-records';

/** Everything that a dispatcher needs to know when it starts. */
export interface LoadedRows {
  /** Unfinished runs of the architecture: all that were ever granted, and the first of each line of the others. */
  runs: DispatchedRun[];
  /** The last run that was read of each line that has more in the rows. */
  edges: DispatchedRun[];
  /**
   * The runs that have been seen. They are in `runs`, unless they were granted, finished or requested on another
   * architecture.
   */
  position: JournalPosition;
  restrictions: Restrictions;
  /** The whole register, also of workers of other architectures and of those that were revoked. */
  workers: RegisteredWorker[];
  judgements: WorkerJudgement[];
  /**
   * Slot time of ended leases of each requestor, with its part of public runs. It was halved with each half-life
   * since it was written.
   */
  usage: { requestor: string; slotMs: number; publicSlotMs: number }[];
  /**
   * How long public runs of a package take on the architecture, a moving average; without packages that have no finished run.
   */
  durations: { package: string; durationMs: number }[];
}

/**
 * A moment of the journal: the runs that were committed up to it. A run that is committed later is not among them,
 * whatever its id and its time. Only the journal that made it can read it.
 */
export type JournalPosition = string;

/** Runs that have arrived. */
export interface Arrivals {
  runs: DispatchedRun[];
  /** The runs that were seen before, and these. */
  position: JournalPosition;
  /** Whether more may have arrived already. */
  more: boolean;
}

/** Runs of a block that were counted in the rows, in order. */
export interface CountedPart {
  /** The last run of the part. */
  end: QueuePlace;
  count: number;
}

/** A part of a line: from after a place up to and with another place, or to the end of the line. */
export interface Stretch {
  after: QueuePlace;
  upTo: QueuePlace | null;
}

/** A stretch, and the line that it belongs to. */
export interface LineStretch extends Stretch {
  /** A run of the line. */
  place: LinePlace;
}

/** Limits when runs of stretches are counted. */
export interface CountLimits {
  /** The number of runs in a part. */
  blockRuns: number;
  /** The number of runs that are counted of each stretch, from its beginning. */
  runsMax: number;
}

/** The writes of a dispatcher. Each is one change of a run's state, and is not made if its fence does not hold. */
export type Write =
  /** The dispatcher has ingested the order; changes nothing when a dispatcher has done so before. */
  | { kind: 'ingest-order'; orderId: number }
  /** `attempt` is the new one; the row must hold `attempt - 1` and be queued. */
  | { kind: 'grant'; runId: number; attempt: number; worker: string; incarnation: string; slot: number }
  /** The row must be leased under this attempt. */
  | { kind: 'start'; runId: number; attempt: number }
  /**
   * The attempt ended without a result that ends the run: it waits again. The row must be leased or running under this
   * attempt; with a `result`, which only the outcome `failed` has, it may be queued again.
   */
  | {
      kind: 'requeue';
      runId: number;
      attempt: number;
      outcome: 'expired' | 'lost' | 'returned' | 'failed';
      reason: string;
      /** The result that the failed attempt left. */
      result: RunOutcome | null;
      /** The signature of its crash, for the next dispatcher that loads the run; absent when it did not crash. */
      crash?: string;
    }
  /**
   * The attempt ended with a result that ends the run, or as the last allowed one without a result. The row must not
   * be finished and `attempt` must be its latest; it may be queued again.
   */
  | {
      kind: 'finish';
      runId: number;
      attempt: number;
      attemptOutcome: AttemptOutcome;
      outcome: RunOutcome;
      worker: string | null;
    }
  /**
   * The run was ended because it had no result, and now the result of its latest attempt has come. The row must be
   * finished and not cancelled, and the grant its latest, which expired or was lost on this worker. After this write
   * no other is allowed.
   */
  | ({ kind: 'correct'; outcome: RunOutcome } & AttemptOfWorker)
  /**
   * Slot time of a requestor's ended leases, in milliseconds, decayed until now; in all, and of public runs alone. 0
   * removes the requestor. Replaces what was written before.
   */
  | { kind: 'usage'; requestor: string; slotMs: number; publicSlotMs: number }
  /** The standing of a worker has changed: one more row of a table that only grows. */
  | { kind: 'judge-worker'; worker: string; standing: WorkerStanding; reason: string };

export interface AttemptOfRun {
  runId: number;
  attempt: number;
}

export interface AttemptOfWorker extends Grant {
  worker: string;
}

/**
 * `reported`: it is stored. `counts`: it would be the first of the run's latest attempt. `late`: the same, but the run
 * was ended for lack of it. `over`: it comes too late. `foreign`: the rows have no such grant to this worker; the
 * attempt may belong to another worker, or may have been granted again since the database was restored.
 */
export type ReportState = 'reported' | 'counts' | 'late' | 'over' | 'foreign';

/** The rows behind one architecture's dispatcher. PostgreSQL in the product, memory in the simulation. */
export interface Journal {
  /**
   * @param usageHalfLifeMs after this time used slot time counts half
   * @param perLineMax how many runs of each line are read; by default all
   */
  load(arch: string, usageHalfLifeMs: number, perLineMax?: number): Promise<LoadedRows>;
  /** The runs of the line that come next after a place in it, at most `limit`. */
  nextOfLine(arch: string, after: LinePlace, limit: number): Promise<DispatchedRun[]>;
  /** The parts of each stretch, in its order. */
  countBeyond(arch: string, stretches: LineStretch[], limits: CountLimits): Promise<CountedPart[][]>;
  /** The last run beyond each edge that has any. */
  lastBeyond(arch: string, edges: LinePlace[]): Promise<DispatchedRun[]>;
  /** The runs among `runIds` of the architecture that are not finished, oldest first. */
  listUnfinished(arch: string, runIds: number[]): Promise<DispatchedRun[]>;
  restrictions(arch: string): Promise<Restrictions>;
  /** The whole register of workers, by name. */
  workers(): Promise<RegisteredWorker[]>;
  /**
   * Accepted runs that wait and were never granted, at most `limit`, committed after `position`; all of them when
   * `position` is absent. The same run may come twice.
   */
  arrivals(arch: string, limit: number, position?: JournalPosition): Promise<Arrivals>;
  /** Orders that no dispatcher has ingested, oldest first, at most `limit`. */
  orders(arch: string, limit: number): Promise<Order[]>;
  /**
   * One transaction for all writes of a turn, in their order. A write whose row is not as expected is left out with
   * all later writes about the same run; the others are written.
   * @param timeoutMs nothing is written after this time; by default there is no limit
   * @returns the writes that were left out
   * @throws StaleEpoch if another epoch owns the architecture; WriteRefused if the rows cannot hold a value. Nothing
   * was written then
   */
  commit(arch: string, epoch: number, writes: Write[], timeoutMs?: number): Promise<Write[]>;
  /** The state of a report of this attempt's end in the rows, under any owner of the architecture. */
  reportState(attempt: AttemptOfWorker): Promise<ReportState>;
}

/** Another scheduler owns the architecture now. */
export class StaleEpoch extends Error {
  constructor(arch: string, epoch: number) {
    super(`epoch ${epoch} of architecture ${arch} is over`);
  }
}

/** A value that the rows cannot hold: the same write is always refused. */
export class WriteRefused extends Error {}
