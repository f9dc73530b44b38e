import { ArrayMaxSize, IsArray } from 'class-validator';
import { SLOT_MAX } from './lease-request';
import type { RunRequest } from './run';
import { IsText } from './text';
import { IsWholeFrom } from './whole-number';
import type { WorkerStanding } from './words';

/** `proctor.worker.{worker}.work-waiting`: these of its slots, which were granted nothing, should request again. */
export class SlotsWanted {
  /** Which architecture has work. */
  @IsText(100)
  arch: string;

  @IsArray()
  @ArrayMaxSize(1000)
  @IsWholeFrom(0, SLOT_MAX, { each: true })
  slots: number[];
}

/** An extra apt source; the dispatcher finds it by its name. */
export interface AptSource {
  name: string;
  /** One-line format, `deb …` or `deb-src …`. */
  lines: string[];
  /** ASCII-armoured OpenPGP public key. */
  signingKey?: string;
}

/** What is tested, and where: the part of a lease that a test needs. */
export interface TestRequest extends Omit<RunRequest, 'priority' | 'isPrivate' | 'extraAptSources'> {
  extraAptSources: AptSource[];
  /**
   * Versions of the package that the deployment does not test on this suite and architecture. An attempt that finds
   * one of them is ended before its first test and reported as `fail`.
   */
  rejectedVersions: string[];
}

/** The right to execute one attempt of a run until it expires. */
export interface Lease extends TestRequest {
  runId: number;
  /** The fencing token: each write about the run contains it. 1 is the first. */
  attempt: number;
  /** The epoch in which it was granted, which may differ from that of the answer; see Grant. */
  grantEpoch: number;
  /** The lease ends this long after its last renewal, by the dispatcher's clock. */
  ttlMs: number;
  renewEveryMs: number;
  /** Absent in messages of earlier versions: then it is unknown, and the worker reveals nothing about the run. */
  isPrivate?: boolean | undefined;
}

/** Each answer of a dispatcher names its epoch: a worker ignores one lower than the highest it has seen. */
export interface DispatcherAnswer {
  arch: string;
  epoch: number;
}

/**
 * A worker whose attempts kept failing must execute a source tree of its own, whose one test always passes, in
 * this testbed. The next request of the slot contains the result.
 */
export interface CanaryTest {
  /** Identifies the test; the result repeats it. */
  canary: string;
  suite: string;
  arch: string;
  backend: string;
  variant: string;
}

/** The standing of a worker whose attempts kept failing. */
export interface StandingNotice {
  standing: Exclude<WorkerStanding, 'sound'>;
  /** The reason for people, without names of packages and private runs. */
  reason: string;
  /** Milliseconds until it may be granted its next run (`slowed`) or gets a canary test (`quarantined`). */
  untilMs: number;
}

export interface LeaseReply extends DispatcherAnswer {
  ask: string;
  lease: Lease | null;
  /** Absent when the worker is sound. */
  standing?: StandingNotice;
  /** Testbeds that waiting runs need and the worker lacks but could build: it should. */
  wanted: { suite: string; backend: string }[];
  /**
   * Why this life of the worker is granted nothing, for people: another living process has its name, it is not
   * registered, or it is too old. It should ask again as usual.
   */
  refused?: string;
  /** A problem of the worker that still gets work, for people. */
  notice?: string;
  /** See DISPATCHER_FEATURES; none when absent. */
  features?: string[];
  /** A test of the machine itself, in place of a lease: see `CanaryTest`. */
  canary?: CanaryTest;
  /** Ask again after this long if no signal comes first. */
  askAgainMs: number;
}
