import type { AttemptOutcome, ResultFileName, RunRequest, Verdict } from '@proctor/contracts';

/** A run as the dispatcher holds it while it is not finished. */
export interface DispatchedRun extends RunRequest {
  runId: number;
  requestorId: number;
  /** Milliseconds since the epoch, PostgreSQL's clock: the place in the order of arrival, with runId. */
  arrivedAt: number;
  /** The latest attempt granted; 0 when none was. */
  attempt: number;
  /** Attempts that ended without a result (expired or lost); a lease handed back does not count. */
  attemptsLost: number;
  /** The lease of the latest attempt, when one is out. */
  lease: HeldLease | null;
  /** Who was granted the latest attempt, whether its lease is still out or not; null when `attempt` is 0. */
  latestWorker: string | null;
}

export interface HeldLease {
  worker: string;
  incarnation: string;
  slot: number;
  state: 'leased' | 'running';
}

/** How a finished run goes into the books. */
export interface RunOutcome {
  verdict: Verdict;
  message: string;
  exitCode: number | null;
  version: string | null;
  durationSeconds: number | null;
  /** What the store keeps of the attempt; sizes in bytes. Empty when it left nothing. */
  files: { name: ResultFileName; size: number }[];
}

/** Something about a run that was committed without the dispatcher, and that its memory must follow. */
export interface Order {
  orderId: number;
  /** `cancel`: the run is finished in the books. */
  kind: 'cancel';
  runId: number;
  /** The user's name. */
  by: string;
  /** The latest granted; 0 when none was. */
  attempt: number;
  /** Who held the lease when the run was cancelled; null when nobody did. */
  worker: string | null;
}

/** What a dispatcher writes; each is one change of a run's state, refused as a whole when its fence does not hold. */
export type Write =
  /** A dispatcher has taken the run into its memory; changes nothing when one has done so before. */
  | { kind: 'take-in'; runId: number }
  /** The dispatcher's memory follows the order; changes nothing when one has done so before. */
  | { kind: 'order-taken'; orderId: number; runId: number }
  /** `attempt` is the new one; the row must hold `attempt - 1` and be queued. Takes the run in, too. */
  | { kind: 'grant'; runId: number; attempt: number; worker: string; incarnation: string; slot: number }
  /** The row must be leased under this attempt. */
  | { kind: 'start'; runId: number; attempt: number }
  /** The attempt ended without a result: the run waits again. The row must be leased or running under this attempt. */
  | {
      kind: 'requeue';
      runId: number;
      attempt: number;
      outcome: Exclude<AttemptOutcome, 'finished'>;
      reason: string;
    }
  /**
   * The attempt ended with a result that ends the run, or it is the last allowed and ended without one. The row must
   * not be finished and `attempt` must be its latest; it may be queued again.
   */
  | {
      kind: 'finish';
      runId: number;
      attempt: number;
      attemptOutcome: AttemptOutcome;
      outcome: RunOutcome;
      worker: string | null;
    };

/** The rows behind one architecture's dispatcher. PostgreSQL in the product, memory in the simulation. */
export interface Journal {
  /** All runs of the architecture that are not finished, whether taken in or not. */
  load(arch: string): Promise<DispatchedRun[]>;
  /** Accepted runs that are not finished and that no dispatcher has taken in, oldest first, at most `limit`. */
  arrivals(arch: string, limit: number): Promise<DispatchedRun[]>;
  /** Orders that no dispatcher has taken in, oldest first, at most `limit`. */
  orders(arch: string, limit: number): Promise<Order[]>;
  /**
   * One transaction for all writes of a turn, in their order.
   * @throws StaleEpoch when the architecture is owned under another epoch: nothing was written
   * @throws FenceBroken when a row is not as a write expects it: nothing was written
   */
  commit(arch: string, epoch: number, writes: Write[]): Promise<void>;
  /** The attempt that ended the run; null when the run is not known, not finished, or was cancelled. */
  finishedAttempt(runId: number): Promise<number | null>;
}

/** Another scheduler owns the architecture now. */
export class StaleEpoch extends Error {
  constructor(arch: string, epoch: number) {
    super(`epoch ${epoch} of architecture ${arch} is over`);
  }
}

/** Memory and rows differ: the dispatcher must load again. */
export class FenceBroken extends Error {
  constructor(readonly write: Write) {
    super(`run ${write.runId}: the row does not allow ${JSON.stringify(write)}`);
  }
}
