import type {
  ExplainReply,
  FinishedReport,
  Grant,
  LeaseReply,
  LeaseRequest,
  RenewReply,
  RenewRequest,
  ReturnReply,
  ReturnRequest,
  StartedReport,
  StatusReply,
  StatusRequest,
} from '@proctor/contracts';
import type { AttemptOfWorker, CountedPart, Write } from './journal';
import type { DispatchedRun, LinePlace, Order, RegisteredWorker, Restrictions } from './journal-records';
import type { Beyond } from './view';
import type { UncountedPart } from './lines';
import type { DispatchSettings } from './settings';
import type { StatusViewer } from './view';

/** The counts from the rows of a part of a line. */
export interface PartCounts {
  of: UncountedPart;
  parts: CountedPart[];
  /** Nothing of the part is left to count. */
  isAll: boolean;
}

/** Everything that can reach a dispatcher. */
export type DispatcherMessage =
  /** Runs that were committed since the last ones were read; some may be known. */
  | { kind: 'arrivals'; runs: DispatchedRun[] }
  /** All runs of a line after the place that was its edge, up to the last of them; `isEnd`: the line has no others. */
  | { kind: 'line'; after: LinePlace; runs: DispatchedRun[]; isEnd: boolean }
  /** Parts of lines were counted in the rows. */
  | { kind: 'counted'; counts: PartCounts[] }
  /** Orders that no dispatcher had ingested; `runs` are the rows of those that they move, read after them. */
  | { kind: 'orders'; orders: Order[]; runs?: DispatchedRun[] }
  /** Pauses and drains, read again. */
  | { kind: 'restrictions'; restrictions: Restrictions }
  /** The register of workers, read again. */
  | { kind: 'workers'; workers: RegisteredWorker[] }
  | { kind: 'lease'; request: LeaseRequest }
  | { kind: 'renew'; request: RenewRequest }
  | { kind: 'return'; request: ReturnRequest }
  | { kind: 'started'; report: StartedReport }
  /** Asked before the files of a finished report are stored; a run whose report counts is not granted meanwhile. */
  | { kind: 'may-finish'; report: FinishedReport }
  | { kind: 'finished'; report: FinishedReport }
  /** A finished report of a run that was ended for lack of it, as the rows say; its files are stored. */
  | { kind: 'late'; report: FinishedReport }
  /** A finished report of the attempt was refused, so the attempt has failed; the reason is for people. */
  | { kind: 'report-refused'; attempt: AttemptOfWorker; reason: string }
  /** The attempts whose finished reports waited when this owner started, and still wait; sent again when they become fewer. */
  | { kind: 'reports-waiting'; attempts: AttemptOfWorker[] }
  /** The deployment's configuration has changed. */
  | { kind: 'settings'; settings: DispatchSettings }
  /**
   * Time has passed. `workersReachable`: messages of workers can reach this dispatcher. Leases whose time was over at
   * `expiringMs` expire (now when absent): renewals that came later may not have been handled yet.
   */
  | { kind: 'tick'; workersReachable: boolean; expiringMs?: number }
  /** `beyond` is absent until it is known; when some lines have an edge, the reply means nothing without it. */
  | { kind: 'explain'; runId: number; viewer?: StatusViewer; beyond?: Beyond }
  | { kind: 'status'; request?: StatusRequest; beyond?: Beyond };

/**
 * `reported`: the attempt has failed, and its report is stored.
 * `stale`: a newer attempt was granted. `foreign`: it does not come from the worker that was granted the attempt,
 * or the attempt was granted again since the database was restored.
 * `unknown`: the run is not in memory, so it has finished or never existed; the rows know.
 * `refused`: its sender is no worker of the architecture.
 */
export type ReportAnswer = 'counts' | 'reported' | 'stale' | 'foreign' | 'unknown' | 'refused';

export interface Replies {
  arrivals: undefined;
  line: undefined;
  counted: undefined;
  orders: undefined;
  restrictions: undefined;
  workers: undefined;
  lease: LeaseReply;
  renew: RenewReply;
  return: ReturnReply;
  /** Whether it changed anything. */
  started: boolean;
  'may-finish': ReportAnswer;
  finished: ReportAnswer;
  late: ReportAnswer;
  'report-refused': ReportAnswer;
  'reports-waiting': undefined;
  settings: undefined;
  tick: undefined;
  explain: ExplainReply;
  status: StatusReply;
}

export type MessageKind = DispatcherMessage['kind'];
export type MessageOf<K extends MessageKind> = Extract<DispatcherMessage, { kind: K }>;

/** An attempt whose result is no longer needed, and who executes it. */
export interface AttemptToStop extends Grant {
  worker: string;
  /** The reason, for people. */
  reason: string;
}

/** What one message causes. Nothing is sent before the writes are committed. */
export interface Step<K extends MessageKind = MessageKind> {
  writes: Write[];
  reply: Replies[K];
  /** Nothing is decided: more of some lines must be read first, and then the message is handled again. Ignore the reply. */
  isUndecided?: boolean;
  /** More runs can be granted than before: idle workers should ask again. */
  workWaiting?: boolean;
  /** Workers should end these without waiting for the answer to their next renewal. */
  stops?: AttemptToStop[];
  /** The sender of the message is no worker of the architecture: why, for people. */
  refusal?: string;
}
