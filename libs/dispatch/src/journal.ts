import type {
  AttemptOutcome,
  Decision,
  Grant,
  ResultFileName,
  RunRequest,
  TestResult,
  Verdict,
  WorkerStanding,
} from '@proctor/contracts';

/** A run as the dispatcher holds it while it is not finished. */
export interface DispatchedRun extends RunRequest {
  runId: number;
  /** Name of the user whose slot time it is: who retried it, else who asked for it. */
  requestor: string;
  /** Milliseconds since the epoch, PostgreSQL's clock: the place in the order of arrival, with runId. */
  arrivedAt: number;
  /** How long ago that was when the row was read, by PostgreSQL's clock. */
  waitedMs: number;
  /** The latest attempt granted; 0 when none was. */
  attempt: number;
  /** The epoch in which it was granted; 0 when none was. */
  grantEpoch: number;
  /** Attempts that expired, were lost or failed; a lease handed back does not count. */
  attemptsLost: number;
  /** The workers of those attempts, each once. */
  failedOn: string[];
  /** The lease of the latest attempt, when one is out. */
  lease: GrantedLease | null;
  /** Who was granted the latest attempt, whether its lease is still out or not; null when `attempt` is 0. */
  latestWorker: string | null;
  /** The latest attempt has failed and its report is stored: another report of it adds nothing. */
  latestFailed: boolean;
  /** When the latest attempt expired, was lost or failed; null when it did not end so. */
  latestLost: LostAttempt | null;
}

export interface LostAttempt {
  /** How long ago it ended when the row was read, by PostgreSQL's clock. */
  agoMs: number;
  /** For people. */
  reason: string;
}

export interface GrantedLease {
  worker: string;
  incarnation: string;
  slot: number;
  state: 'leased' | 'running';
  /** How long ago it was granted when the row was read, by PostgreSQL's clock; 0 for one granted since. */
  heldMs: number;
}

/** What is stored of a finished run. */
export interface RunOutcome {
  verdict: Verdict;
  message: string;
  exitCode: number | null;
  version: string | null;
  durationSeconds: number | null;
  /** What the store keeps of the attempt; sizes in bytes. Empty when it left nothing. */
  files: { name: ResultFileName; size: number }[];
  /** Of single tests; empty when nothing is known of them. */
  tests: TestResult[];
}

/** A user has finished a run's row. */
export interface Cancellation {
  kind: 'cancel';
  orderId: number;
  runId: number;
  /** The user's name. */
  by: string;
  /** The latest granted; 0 when none was. */
  attempt: number;
  /** The epoch in which it was granted; 0 when none was. */
  grantEpoch: number;
  /** Who held the lease when the run was cancelled; null when it waited. */
  worker: string | null;
}

/** The row of a run that waited was given this priority. */
export interface Reprioritisation {
  kind: 'reprioritise';
  orderId: number;
  runId: number;
  priority: number;
}

/** The row of a private run that is not finished was made public. */
export interface Publication {
  kind: 'publish';
  orderId: number;
  runId: number;
}

/** Pauses or drains have changed: `restrictions` tells how they are. */
export interface RestrictionsChange {
  kind: 'restrictions';
  orderId: number;
}

/** A user takes a worker for sound. */
export interface Trust {
  kind: 'trust';
  orderId: number;
  worker: string;
  /** The user's name. */
  by: string;
  reason: string | null;
}

/** The register of workers has changed: `workers` tells how it is. */
export interface RegisterChange {
  kind: 'register';
  orderId: number;
}

/** A user has taken a worker out of the register; one of that name may have been added since. */
export interface Revocation {
  kind: 'revoke';
  orderId: number;
  worker: string;
  /** The user's name. */
  by: string;
  reason: string | null;
}

/** Something that was committed without the dispatcher, and that its memory must follow. */
export type Order =
  Cancellation | Reprioritisation | Publication | RestrictionsChange | Trust | RegisterChange | Revocation;

/** A user has stopped a suite queue, or with `suite` null the architecture: nothing of it is granted. */
export interface Pause extends Decision {
  suite: string | null;
}

/** A user lets a worker finish what it has; it is granted nothing. */
export interface Drain extends Decision {
  worker: string;
}

/** Workers that a dispatcher has judged; those not listed are sound. */
export interface WorkerJudgement {
  worker: string;
  standing: WorkerStanding;
  /** For people. */
  reason: string;
  /** Since when, milliseconds before the row was read. */
  agoMs: number;
}

/** A worker as the register has it. */
export interface RegisteredWorker {
  worker: string;
  architectures: string[];
  mayRunPrivate: boolean;
  isRevoked: boolean;
}

/** What people have decided about an architecture; those about everything are among them. */
export interface Restrictions {
  pauses: Pause[];
  drains: Drain[];
}

/** Everything that a dispatcher needs to know when it begins. */
export interface Loaded {
  /** All runs of the architecture that are not finished. */
  runs: DispatchedRun[];
  /** They are among `runs`, unless they were granted, finished or not asked for on the architecture. */
  seen: Seen;
  restrictions: Restrictions;
  /** The whole register, also of workers of other architectures and of those that were revoked. */
  workers: RegisteredWorker[];
  judgements: WorkerJudgement[];
  /**
   * Slot time of leases that have ended, of each requestor, decayed by half per half-life since it was written; and how much
   * of it is left without private runs.
   */
  usage: { requestor: string; slotMs: number; publicSlotMs: number }[];
  /**
   * How long public runs of a package take on the architecture, a moving average; packages of which none has finished lack.
   */
  durations: { package: string; durationMs: number }[];
}

/**
 * Runs that were committed up to a moment, as the journal describes them: one that is committed later is not among them,
 * whatever its id and its time. Means something to the journal that made it.
 */
export type Seen = string;

/** Runs that have come. */
export interface Arrivals {
  runs: DispatchedRun[];
  /** Those that had been seen, and these. */
  seen: Seen;
  /** Whether others may be there already. */
  more: boolean;
}

/** What a dispatcher writes; each is one change of a run's state, left out as a whole when its fence does not hold. */
export type Write =
  /** The dispatcher's memory follows the order; changes nothing when one has done so before. */
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
      /** What the failed attempt left. */
      result: RunOutcome | null;
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
    }
  /**
   * The run was ended for lack of a result, and now its latest attempt's own has come. The row must be finished and not
   * cancelled, the grant its latest, which expired or was lost on this worker. Once it is written no other is allowed.
   */
  | ({ kind: 'correct'; outcome: RunOutcome } & AttemptOfWorker)
  /**
   * What leases of a requestor that have ended took, in milliseconds, decayed until now, and those of public runs alone; 0
   * forgets the requestor. Takes the place of what was written before.
   */
  | { kind: 'usage'; requestor: string; slotMs: number; publicSlotMs: number }
  /** What the dispatcher thinks of a worker has changed: one more row of a table that only grows. */
  | { kind: 'judge-worker'; worker: string; standing: WorkerStanding; reason: string };

export interface AttemptOfRun {
  runId: number;
  attempt: number;
}

export interface AttemptOfWorker extends Grant {
  worker: string;
}

/**
 * `reported`: it is stored. `counts`: it would be the first of the run's latest attempt. `late`: likewise, but the run
 * was ended for lack of it. `over`: it comes too late. `foreign`: the rows know of no such grant to this worker; the
 * attempt may be another worker's, or granted again since the database was restored.
 */
export type ReportState = 'reported' | 'counts' | 'late' | 'over' | 'foreign';

/** The rows behind one architecture's dispatcher. PostgreSQL in the product, memory in the simulation. */
export interface Journal {
  /** @param usageHalfLifeMs after this time slot time that was used counts half */
  load(arch: string, usageHalfLifeMs: number): Promise<Loaded>;
  /** Those of the given runs of the architecture that are not finished, oldest first. */
  unfinished(arch: string, runIds: number[]): Promise<DispatchedRun[]>;
  restrictions(arch: string): Promise<Restrictions>;
  /** The whole register of workers, by name. */
  workers(): Promise<RegisteredWorker[]>;
  /**
   * Accepted runs that wait and were never granted, at most `limit`: each that is not among those `seen`, which are none when
   * that is absent. A run may be given again.
   */
  arrivals(arch: string, limit: number, seen?: Seen): Promise<Arrivals>;
  /** Orders that no dispatcher has ingested, oldest first, at most `limit`. */
  orders(arch: string, limit: number): Promise<Order[]>;
  /**
   * One transaction for all writes of a turn, in their order. A write whose row is not as it expects is left out, and so
   * are those after it about the same run; the others are written.
   * @param timeoutMs after this time nothing is written any more; no limit of its own when absent
   * @returns the writes that were left out
   * @throws StaleEpoch when the architecture is owned under another epoch: nothing was written
   * @throws WriteRefused when the rows cannot hold what a write says: nothing was written
   */
  commit(arch: string, epoch: number, writes: Write[], timeoutMs?: number): Promise<Write[]>;
  /** What the rows say of a report of how this attempt ended, under any owner of the architecture. */
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
