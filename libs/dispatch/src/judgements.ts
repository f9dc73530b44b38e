import {
  cut,
  type CanaryTest,
  type LeaseRequest,
  type Trouble,
  type WorkerStanding,
} from '@proctor/contracts';
import {
  canaryTestbed,
  failuresWith,
  quarantineLengthMs,
  whomToBlame,
  whyBlamed,
  type Failure,
} from './blame';
import type { DispatcherState } from './dispatcher-state';
import type { DispatchedRun, WorkerJudgement, Write } from './journal';
import type { Slot } from './leases';
import type { BlameSettings } from './settings';
import { isDrained, isReplaceable } from './workers';

const REASON_LENGTH_MAX = 1000;

/** What an attempt that failed tells of its cause. */
export interface Evidence {
  trouble?: Trouble | undefined;
  /** The life of the worker process that took the attempt with it. */
  death?: string | undefined;
}

/** What is known against a worker. Monotonic milliseconds of the dispatcher's clock. */
interface Judged {
  standing: WorkerStanding;
  /** For people. */
  reason: string;
  sinceMs: number;
  /** Failures in a row, one of each package. */
  failures: Failure[];
  /** A canary test has passed and no result has come since: one more failure is enough. */
  onProbation: boolean;
  /** Canary tests and times on probation that failed in a row. */
  strikes: number;
  /** The latest grant while it is slowed; at first when that began. */
  grantedAtMs: number;
  canary: { test: CanaryTest; slot: Slot; askedAtMs: number } | null;
}

/**
 * What a dispatcher thinks of the workers, and the canary tests that are out. Standings are rows and go on after a
 * reload; failures in a row are counted anew.
 */
export class Judgements {
  private readonly byWorker = new Map<string, Judged>();
  private canaries = 0;

  /** @param settings those that hold at the moment of the call */
  constructor(
    loaded: readonly WorkerJudgement[],
    now: number,
    private readonly settings: () => BlameSettings,
  ) {
    for (const { worker, standing, reason, agoMs } of loaded) {
      if (standing === 'sound') continue;
      this.byWorker.set(worker, { ...soundAt(now), standing, reason, sinceMs: now - agoMs });
    }
  }

  standingOf(worker: string): WorkerStanding {
    return this.byWorker.get(worker)?.standing ?? 'sound';
  }

  /** Why it is not sound; undefined when it is. */
  reasonOf(worker: string): string | undefined {
    const judged = this.byWorker.get(worker);
    return judged && judged.standing !== 'sound' ? judged.reason : undefined;
  }

  mayBeGranted(worker: string, now: number): boolean {
    const judged = this.byWorker.get(worker);
    if (!judged || judged.standing === 'sound') return true;
    return judged.standing === 'slowed' && now - judged.grantedAtMs >= this.settings().slowedMs;
  }

  granted(worker: string, now: number): void {
    const judged = this.byWorker.get(worker);
    if (judged) judged.grantedAtMs = now;
  }

  /** A result that says something about its package: the worker can do its work. */
  succeeded(worker: string): void {
    const judged = this.byWorker.get(worker);
    if (!judged) return;
    if (judged.standing === 'sound') this.byWorker.delete(worker);
    else judged.failures = [];
  }

  /**
   * The run's attempt on `worker` expired, was lost or failed; to be called before that is added to `run.failedOn`.
   * @param message why, for people
   */
  failed(
    state: DispatcherState,
    run: DispatchedRun,
    worker: string,
    message: string,
    now: number,
    { trouble, death }: Evidence = {},
  ): Write[] {
    if (whomToBlame(run.failedOn, worker, trouble) !== 'worker') return [];
    const judged = this.byWorker.get(worker) ?? soundAt(now);
    this.byWorker.set(worker, judged);
    const { runId, suite, backend, variant, isPrivate } = run;
    const of = { runId, package: run.package, suite, backend, variant, isPrivate };
    const failure = { ...of, message, ...(death !== undefined && { death }) };
    judged.failures = failuresWith(judged.failures, failure);
    const isEnough = judged.onProbation || judged.failures.length >= this.settings().failuresMax;
    if (judged.standing !== 'sound' || !isEnough) return [];
    if (judged.onProbation) judged.strikes += 1;
    const standing = isReplaceable(state, worker, now) ? 'quarantined' : 'slowed';
    return [this.judge(worker, judged, standing, whyBlamed(judged.failures, judged.onProbation), now)];
  }

  /** The canary test that a slot without a lease is to execute. A slot that asks again gets the same one. */
  canaryFor(state: DispatcherState, request: LeaseRequest, now: number): CanaryTest | undefined {
    const judged = this.byWorker.get(request.worker);
    if (!judged || judged.standing === 'sound') return undefined;
    if (request.problem !== undefined || isDrained(state, request.worker)) return undefined;
    if (judged.canary && this.isAwaited(judged.canary, request, now)) {
      return judged.canary.slot.slot === request.slot ? judged.canary.test : undefined;
    }
    if (!judged.canary && !this.isCanaryDue(state, request.worker, judged, now)) return undefined;
    const testbed = canaryTestbed(request, judged.failures);
    if (!testbed) return undefined;
    this.canaries += 1;
    const test = { canary: `${state.epoch}.${this.canaries}`, arch: state.arch, ...testbed };
    const { worker, incarnation, slot } = request;
    judged.canary = { test, slot: { worker, incarnation, slot }, askedAtMs: now };
    return test;
  }

  /** The slot's word on a canary test, if it is the one that is waited for. */
  canaryEnded(request: LeaseRequest, now: number): Write[] {
    const judged = this.byWorker.get(request.worker);
    const result = request.canary;
    if (!result || judged?.canary?.test.canary !== result.canary) return [];
    judged.canary = null;
    if (result.passed) {
      judged.failures = [];
      judged.onProbation = true;
      return [this.judge(request.worker, judged, 'sound', 'the canary test passed', now)];
    }
    judged.strikes += 1;
    const reason = cut(`the canary test failed: ${result.message}`, REASON_LENGTH_MAX);
    return [this.judge(request.worker, judged, 'quarantined', reason, now)];
  }

  private isAwaited({ slot, askedAtMs }: NonNullable<Judged['canary']>, by: Slot, now: number): boolean {
    return slot.incarnation === by.incarnation && now - askedAtMs < this.settings().canaryTimeoutMs;
  }

  /** At once when nobody else could do the worker's work, unless that was tried before. */
  private isCanaryDue(state: DispatcherState, worker: string, judged: Judged, now: number): boolean {
    const settings = this.settings();
    const waitMs =
      judged.standing === 'slowed' ? settings.slowedMs : quarantineLengthMs(settings, judged.strikes);
    if (now - judged.sinceMs >= waitMs) return true;
    return judged.strikes === 0 && (judged.standing === 'slowed' || !isReplaceable(state, worker, now));
  }

  private judge(
    worker: string,
    judged: Judged,
    standing: WorkerStanding,
    reason: string,
    now: number,
  ): Write {
    Object.assign(judged, { standing, reason, sinceMs: now, grantedAtMs: now });
    return { kind: 'judge-worker', worker, standing, reason };
  }
}

function soundAt(now: number): Judged {
  return {
    standing: 'sound',
    reason: '',
    sinceMs: now,
    failures: [],
    onProbation: false,
    strikes: 0,
    grantedAtMs: now,
    canary: null,
  };
}
