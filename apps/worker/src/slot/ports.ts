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

/** The dispatchers as a slot sees them. Each call rejects when no answer comes; an answer may also come late. */
export interface LeaseClient {
  request(arch: string, request: LeaseRequest): Promise<LeaseReply>;
  renew(arch: string, request: RenewRequest): Promise<RenewReply>;
  return(arch: string, request: ReturnRequest): Promise<ReturnReply>;
}

/** A file of a result on this machine. */
export interface LocalFile extends ResultFile {
  path: string;
}

/** Delivers a kept result until the dispatcher has answered; resolves at that answer, never rejects. */
export type Deliver = () => Promise<void>;

/** Takes reports out of the slot's hands. */
export interface ReportOutbox {
  /** Sent once; losing it delays nothing but what people see. Never throws. */
  reportStart(arch: string, report: StartedReport): void;
  /**
   * Writes the result to disk, in place of what was kept of the same attempt before. Once it resolves, the result survives a
   * crash of the machine. Rejects when it could not be kept: what was kept before stays.
   */
  save(arch: string, report: FinishedReport, files: LocalFile[]): Promise<Deliver>;
  /** Grants of the architecture whose results no dispatcher has answered yet, the oldest first; as many as an ask may name. */
  listWaiting(arch: string): Grant[];
  /**
   * Delivers a report that has no files and is kept nowhere: it is lost with the process. Resolves at the dispatcher's
   * answer; never rejects.
   */
  reportUnsaved(arch: string, report: FinishedReport): Promise<void>;
}

/** How an attempt ended, before anybody was told. */
export interface AttemptResult {
  verdict: Verdict;
  message: string;
  /** Only with tmpfail, and when it is known. */
  trouble?: Trouble;
  exitCode: number | null;
  version: string | null;
  durationSeconds: number;
  /** Of single tests; empty when nothing is known of them. */
  tests: TestResult[];
  files: LocalFile[];
  /** Of the log of a failed attempt; absent when it tells of no error. */
  excerpt?: ErrorExcerpt;
  /** That the testbed was made of; absent where there was none. */
  image?: TestbedImage | undefined;
}

/** What an attempt's end means, before its log and artifacts are packed. */
export type AttemptVerdict = Omit<AttemptResult, 'files' | 'excerpt'>;

/** Sees to it that the verdict of a test that has ended is not lost. */
export interface VerdictKeeper {
  /** The test has ended, by itself or at a limit of the worker: from here on nothing ends the attempt. */
  onEnded(): void;
  /** Resolves when the verdict is on disk or cannot be written; never rejects. */
  saveVerdict(verdict: AttemptVerdict): Promise<void>;
}

/** This machine cannot begin the attempt now, through no fault of the run: its lease goes back. */
export class NotStarted extends Error {}

/** An archive did not tell what had to be known before the test runner was started. */
export class ArchiveAway extends Error {}

/** Executes attempts. */
export interface AttemptRunner {
  /**
   * Calls `started` when the test runner was started, and `keeper` when the test has ended. When `signal` aborts before the test has ended, everything of the attempt is ended and removed, and the promise rejects;
   * later the signal changes nothing. Rejects with NotStarted when the machine lacks what the attempt needs.
   */
  run(lease: Lease, started: () => void, signal: AbortSignal, keeper: VerdictKeeper): Promise<AttemptResult>;
}

/** How a canary test ended; `message` is one sentence for people. */
export type CanaryEnd = Pick<CanaryResult, 'passed' | 'message'>;

/** Executes tests of the machine itself. */
export interface CanaryRunner {
  /**
   * When `signal` aborts, everything of the test is ended and removed, and the promise rejects. It also rejects when
   * the machine cannot begin: that is a test that failed.
   */
  execute(test: CanaryTest, signal: AbortSignal): Promise<CanaryEnd>;
}

/** What this machine has to offer to an architecture, at this moment. */
export interface TestbedOffer {
  currentOffer(
    arch: string,
  ): Pick<LeaseRequest, 'testbeds' | 'variants' | 'builds' | 'sizeClasses' | 'problem'>;
  /** Waiting runs need these testbeds, and the worker lacks them. */
  requestTestbeds(arch: string, testbeds: LeaseReply['wanted']): void;
}
