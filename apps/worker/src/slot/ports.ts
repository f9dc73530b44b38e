import type {
  CanaryResult,
  CanaryTest,
  ErrorExcerpt,
  TestbedImage,
  FinishedReport,
  Grant,
  Lease,
  LeaseReply,
  LeaseRequest,
  RenewReply,
  RenewRequest,
  ResultFile,
  ReturnReply,
  ReturnRequest,
  StartedReport,
  TestResult,
  Trouble,
  Verdict,
} from '@proctor/contracts';

/** The dispatchers, for a slot. Each call rejects when no answer comes; an answer may also come late. */
export interface LeaseClient {
  request(arch: string, request: LeaseRequest): Promise<LeaseReply>;
  renew(arch: string, request: RenewRequest): Promise<RenewReply>;
  return(arch: string, request: ReturnRequest): Promise<ReturnReply>;
}

/** A file of a result on this machine. */
export interface LocalFile extends ResultFile {
  path: string;
}

/** Delivers a saved result until the dispatcher has answered; resolves at that answer, never rejects. */
export type Deliver = () => Promise<void>;

/** Delivers the reports of slots. */
export interface ReportOutbox {
  /** Sent once; if it is lost, only what people see is delayed. Never throws. */
  reportStart(arch: string, report: StartedReport): void;
  /**
   * Writes the result to disk, and replaces an older one of the same attempt. Once it resolves, the result survives a
   * crash of the machine. Rejects when it could not be saved: the older one stays.
   */
  save(arch: string, report: FinishedReport, files: LocalFile[]): Promise<Deliver>;
  /**
   * Grants of the architecture whose results no dispatcher has answered yet, the oldest first; at most as many as a
   * request may name.
   */
  listWaiting(arch: string): Grant[];
  /**
   * Delivers a report without files that is not on disk: it is lost with the process. Resolves at the dispatcher's
   * answer; never rejects.
   */
  reportUnsaved(arch: string, report: FinishedReport): Promise<void>;
}

/** How an attempt ended. */
export interface AttemptResult {
  verdict: Verdict;
  message: string;
  /** Set only with tmpfail, and only if known. */
  trouble?: Trouble;
  exitCode: number | null;
  version: string | null;
  durationSeconds: number;
  /** Results of single tests; empty when none is known. */
  tests: TestResult[];
  files: LocalFile[];
  /** Lines from the log of a failed attempt; absent if the log has no error. */
  excerpt?: ErrorExcerpt;
  /** The image of the testbed; absent without one. */
  image?: TestbedImage | undefined;
}

/** The verdict on an attempt, before its log and artifacts are packed. */
export type AttemptVerdict = Omit<AttemptResult, 'files' | 'excerpt'>;

/** Saves the verdict of a test that has ended. */
export interface VerdictKeeper {
  /** The test has ended, by itself or at a limit of the worker: from now on nothing stops the attempt. */
  onEnded(): void;
  /** Resolves when the verdict is on disk or cannot be written; never rejects. */
  saveVerdict(verdict: AttemptVerdict): Promise<void>;
}

/** This machine cannot start the attempt now; the run is not at fault, and its lease is returned. */
export class NotStarted extends Error {}

/** An archive did not answer a request that is needed before the test runner starts. */
export class ArchiveAway extends Error {}

/** Executes attempts. */
export interface AttemptRunner {
  /**
   * Calls `started` when the test runner has started, and `keeper` when the test has ended. When `signal` aborts before
   * the test has ended, everything of the attempt is ended and removed, and the promise rejects; later the signal
   * changes nothing. Rejects with NotStarted when the machine lacks what the attempt needs.
   */
  run(lease: Lease, started: () => void, signal: AbortSignal, keeper: VerdictKeeper): Promise<AttemptResult>;
}

/** How a canary test ended; `message` is one sentence for people. */
export type CanaryEnd = Pick<CanaryResult, 'passed' | 'message'>;

/** Executes tests of the machine itself. */
export interface CanaryRunner {
  /**
   * When `signal` aborts, everything of the test is ended and removed, and the promise rejects. It also rejects when
   * the machine cannot start the test: such a test has failed.
   */
  execute(test: CanaryTest, signal: AbortSignal): Promise<CanaryEnd>;
}

/** Builds the offer of this machine to an architecture. */
export interface TestbedOffer {
  currentOffer(
    arch: string,
  ): Pick<LeaseRequest, 'testbeds' | 'variants' | 'builds' | 'sizeClasses' | 'privateRunsOnly' | 'problem'>;
  /** Waiting runs need these testbeds, which the worker does not have. */
  requestTestbeds(arch: string, testbeds: LeaseReply['wanted']): void;
}
