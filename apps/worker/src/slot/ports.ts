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
  ask(arch: string, request: LeaseRequest): Promise<LeaseReply>;
  renew(arch: string, request: RenewRequest): Promise<RenewReply>;
  giveBack(arch: string, request: ReturnRequest): Promise<ReturnReply>;
}

/** A file of a result on this machine. */
export interface KeptFile extends ResultFile {
  path: string;
}

/** Takes reports out of the slot's hands. */
export interface ReportOutbox {
  /** Sent once; losing it delays nothing but what people see. Never throws. */
  started(arch: string, report: StartedReport): void;
  /**
   * Keeps the result on disk, then delivers it until the dispatcher has answered; resolves at that answer.
   * Rejects when the result could not be kept.
   */
  finished(arch: string, report: FinishedReport, files: KeptFile[]): Promise<void>;
  /** Grants of the architecture whose results no dispatcher has answered yet, the oldest first; as many as an ask may name. */
  kept(arch: string): Grant[];
  /**
   * Delivers a report that has no files and is kept nowhere: it is lost with the process. Resolves at the dispatcher's
   * answer; never rejects.
   */
  unkept(arch: string, report: FinishedReport): Promise<void>;
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
  files: KeptFile[];
  /** Of the log of a failed attempt; absent when it tells of no error. */
  excerpt?: ErrorExcerpt;
  /** That the testbed was made of; absent where there was none. */
  image?: TestbedImage | undefined;
}

/** This machine cannot begin the attempt now, through no fault of the run: its lease goes back. */
export class NotStarted extends Error {}

/** An archive did not tell what had to be known before the test runner was started. */
export class ArchiveAway extends Error {}

/** Executes attempts. */
export interface AttemptRunner {
  /**
   * Calls `started` when the test runner was started. When `signal` aborts, everything of the attempt is ended and
   * removed, and the promise rejects; it rejects with NotStarted when the machine lacks what the attempt needs.
   */
  run(lease: Lease, started: () => void, signal: AbortSignal): Promise<AttemptResult>;
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
  offer(arch: string): Pick<LeaseRequest, 'testbeds' | 'variants' | 'builds' | 'sizeClasses' | 'problem'>;
  /** Waiting runs need these testbeds, and the worker lacks them. */
  wanted(arch: string, testbeds: LeaseReply['wanted']): void;
}
