import type {
  Decision,
  ErrorExcerpt,
  PauseScope,
  TestbedImage,
  ResultFileName,
  RunRequest,
  TestResult,
  Trouble,
  Verdict,
  WorkerStanding,
} from '@proctor/contracts';

/** A run in the dispatcher's memory while it is not finished. */
export interface DispatchedRun extends RunRequest {
  runId: number;
  /** The name of the user who is charged for the slot time: the one who retried it, or else who requested it. */
  requestor: string;
  /** Milliseconds since the epoch, PostgreSQL's clock; with runId the place in the order of arrival. */
  arrivedAt: number;
  /** The time since then when the row was read, by PostgreSQL's clock. */
  waitedMs: number;
  /** The latest granted attempt; 0 if none was granted. */
  attempt: number;
  /** The epoch of the latest grant; 0 if there was none. */
  grantEpoch: number;
  /** Attempts that expired, were lost or failed; a lease handed back does not count. */
  attemptsLost: number;
  /** The workers of those attempts, each once. */
  failedOn: string[];
  /** The lease of the latest attempt, when it has not ended. */
  lease: GrantedLease | null;
  /** The worker of the latest attempt, even if its lease has ended; null if `attempt` is 0. */
  latestWorker: string | null;
  /** The latest attempt has failed and its report is stored, so another report of it changes nothing. */
  latestFailed: boolean;
  /** When the latest attempt expired, was lost or failed; null if it did not end in this way. */
  latestLost: LostAttempt | null;
  /** The latest attempts, when they crashed in one way; absent when the latest did not crash. */
  crashes?: Crash[];
}

/** An attempt that broke its testbed during a test, or made the runner crash. */
export interface Crash {
  /** The signature of the crash, the same for crashes whose messages differ only in numbers and paths. */
  signature: string;
  worker: string;
  attempt: number;
}

export interface LostAttempt {
  /** The time since its end when the row was read, by PostgreSQL's clock. */
  agoMs: number;
  /** The reason, for people. */
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

/** What is stored about a finished run. */
export interface RunOutcome {
  verdict: Verdict;
  message: string;
  /** The cause of a tmpfail, if its worker knew it. */
  trouble?: Trouble | undefined;
  exitCode: number | null;
  version: string | null;
  durationSeconds: number | null;
  /** The files of the attempt in the store, with sizes in bytes; empty when it has none. */
  files: { name: ResultFileName; size: number }[];
  /** Results of single tests; empty when none are known. */
  tests: TestResult[];
  /** The first error of the log; absent when none is known, and for a run that has passed. */
  error?: RunError;
  /** The image that the testbed was made from; absent when it is not known. */
  image?: TestbedImage | undefined;
}

/** The first error of a run's log. */
export interface RunError {
  /** See errorSignature. */
  signature: string;
  excerpt: ErrorExcerpt;
}

/** A user has finished a run's row. */
export interface Cancellation {
  kind: 'cancel';
  orderId: number;
  runId: number;
  /** The user's name. */
  by: string;
  /** The latest attempt that was granted; 0 when none was. */
  attempt: number;
  /** The epoch of the latest grant; 0 if there was none. */
  grantEpoch: number;
  /** The worker that held the lease when the run was cancelled; null if the run waited. */
  worker: string | null;
  /** The place of the run in its line, by its row; null when it is not known. */
  place: LinePlace | null;
}

/** The row of a run that waited was given this priority. */
interface Reprioritisation {
  kind: 'reprioritise';
  orderId: number;
  runId: number;
  priority: number;
  /** As in a cancellation. */
  place: LinePlace | null;
}

/** The row of a private run that is not finished was made public. */
export interface Publication {
  kind: 'publish';
  orderId: number;
  runId: number;
  /** As in a cancellation. */
  place: LinePlace | null;
}

/** Pauses or drains have changed; `restrictions` reads them. */
interface RestrictionsChange {
  kind: 'restrictions';
  orderId: number;
}

/** A user trusts a worker: it is sound from now on. */
export interface Trust {
  kind: 'trust';
  orderId: number;
  worker: string;
  /** The user's name. */
  by: string;
  reason: string | null;
}

/** A user quarantines a worker. */
export interface Quarantine {
  kind: 'quarantine';
  orderId: number;
  worker: string;
  /** The user's name. */
  by: string;
  reason: string;
}

/** The register of workers has changed; `workers` reads it. */
interface RegisterChange {
  kind: 'register';
  orderId: number;
}

/** A user has removed a worker from the register; another of that name may have been added since. */
export interface Revocation {
  kind: 'revoke';
  orderId: number;
  worker: string;
  /** The user's name. */
  by: string;
  reason: string | null;
}

/** A change that was committed by another process, and that the dispatcher's memory must follow. */
export type Order =
  | Cancellation
  | Reprioritisation
  | Publication
  | RestrictionsChange
  | Trust
  | Quarantine
  | RegisterChange
  | Revocation;

/** A user has paused a suite queue, or the whole architecture when `suite` is null: no run of it is granted. */
export type Pause = Decision & Omit<PauseScope, 'arch'>;

/** A user lets a worker finish what it has; it is granted nothing. */
export interface Drain extends Decision {
  worker: string;
  /** Milliseconds, from when the row was read, until it must hand back what it still executes; null or absent: never. */
  leftMs?: number | null;
}

/** Workers that a dispatcher has judged; those not listed are sound. */
export interface WorkerJudgement {
  worker: string;
  standing: WorkerStanding;
  /** The reason, for people. */
  reason: string;
  /** The time since the judgement when the row was read, in milliseconds. */
  agoMs: number;
}

/** A worker of the register. */
export interface RegisteredWorker {
  worker: string;
  architectures: string[];
  mayRunPrivate: boolean;
  isRevoked: boolean;
}

/** The decisions of users about an architecture, and about all architectures. */
export interface Restrictions {
  pauses: Pause[];
  drains: Drain[];
}

/** A place in the order of arrival; a run need not be there. */
export type QueuePlace = Pick<DispatchedRun, 'arrivedAt' | 'runId'>;

/** The fields that distinguish lines, and a place in a line; the rows are indexed by these. */
export type LinePlace = Pick<
  DispatchedRun,
  'suite' | 'backend' | 'variant' | 'isPrivate' | 'priority' | 'requestor' | 'arrivedAt' | 'runId'
>;
