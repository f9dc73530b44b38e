import {
  grantOf,
  isSameGrant,
  type Lease,
  type RenewReply,
  type SlotIdentity,
  type StopAttemptSignal,
} from '@proctor/contracts';
import { Unusable } from '../sandbox/unusable';
import { resultOfError } from './failed-attempt';
import { returnLease } from './return-lease';
import { SavedVerdict } from './saved-verdict';
import { NotStarted, type AttemptResult, type Deliver, type VerdictKeeper } from './ports';
import type { SlotParts } from './slot-parts';

/** `not-started`: the lease was returned since the machine could not start. */
export type HoldingEnd = 'ended' | 'not-started';

/**
 * A lease and its attempt, from the grant until the result is recorded.
 *
 * Until the test has ended, a stop ends it and nothing is reported. Once it has ended, by itself or at a limit, its
 * verdict is first written to disk and then delivered, whatever stops the attempt: the run was cancelled or given up,
 * the worker was revoked, drains or stops. The dispatcher decides what the verdict counts for (`judge` in
 * libs/dispatch/src/reporting.ts): the latest attempt's counts, unless the run was cancelled.
 */
export class HeldLease {
  private readonly abort = new AbortController();
  private cancelRenewal: () => void = () => undefined;
  private returning: Promise<void> | null = null;
  private notStarted = false;
  /** The test has ended, or the attempt cannot be executed: a result must be reported. */
  private hasEnded = false;
  private readonly verdict: SavedVerdict;
  /** Ends the wait for the dispatcher's answer to the result; the outbox continues alone. */
  private release: () => void = () => undefined;
  private readonly released = new Promise<void>((resolve) => (this.release = resolve));
  private startWaiting: () => void = () => undefined;
  /** Resolves when the result has waited so long for its answer that the slot should do something else. */
  readonly waits = new Promise<'waiting'>((resolve) => (this.startWaiting = () => resolve('waiting')));

  constructor(
    private readonly identity: SlotIdentity,
    private readonly lease: Lease,
    private readonly parts: SlotParts,
  ) {
    this.verdict = new SavedVerdict({ arch: lease.arch, title: this.title(), fence: this.fence() }, parts);
  }

  /** Resolves when the slot is free for the next lease; never rejects. */
  async execute(): Promise<HoldingEnd> {
    const { lease, parts } = this;
    parts.log.log(
      `${this.title()}: ${lease.package} on ${lease.suite}/${lease.arch} (${lease.backend}) begins`,
    );
    this.renewLater();
    const deliver = await Promise.race([this.runAndSave(), this.verdict.whole]);
    if (deliver) {
      const cancelWait = parts.clock.after(parts.settings.answerWaitMs, () => this.startWaiting());
      await Promise.race([deliver(), this.released]);
      cancelWait();
    }
    this.cancelRenewal();
    await this.returning;
    return this.notStarted ? 'not-started' : 'ended';
  }

  /**
   * Returns the lease first, so that another slot may start at once; then ends the attempt. The lease of a test that
   * has ended stays, and its result has some time to reach the disk.
   */
  async returnAndStop(reason: string): Promise<void> {
    if (!this.abort.signal.aborted && !this.hasEnded) this.returning ??= this.returnLease(reason);
    await this.returning;
    this.abort.abort(new Error(reason));
    if (this.hasEnded) await this.verdict.waitUntilSaved(reason);
    this.release();
  }

  /** The lease is gone: ends the attempt. Does nothing for another grant. */
  stop(signal: StopAttemptSignal): void {
    if (isSameGrant(this.lease, signal)) this.abandon(signal.reason);
  }

  /** Ends the attempt, and reports nothing if its test has not ended yet. */
  abandon(reason: string): void {
    this.cancelRenewal();
    if (this.hasEnded && !this.abort.signal.aborted)
      this.parts.log.warn(
        `${this.title()}: its test has ended, so the result is kept and delivered: ${reason}`,
      );
    this.abort.abort(new Error(reason));
    this.release();
  }

  /** Null: nothing to deliver. */
  private async runAndSave(): Promise<Deliver | null> {
    const result = await this.run();
    if (!result) return null;
    this.hasEnded = true;
    await this.verdict.complete(result);
    return this.verdict.whole;
  }

  private async run(): Promise<AttemptResult | null> {
    const { lease, parts } = this;
    if (this.abort.signal.aborted) return null;
    const started = () => parts.outbox.reportStart(lease.arch, this.fence());
    const keeper: VerdictKeeper = {
      onEnded: () => (this.hasEnded = true),
      saveVerdict: (verdict) => this.verdict.saveVerdict(verdict),
    };
    const startMs = parts.clock.now();
    try {
      return await parts.runner.run(lease, started, this.abort.signal, keeper);
    } catch (error) {
      const durationSeconds = Math.round((parts.clock.now() - startMs) / 1000);
      return this.resultOfFailure(error, durationSeconds);
    }
  }

  /** The result of an attempt that ended with an error; null when it was stopped, or the lease is returned. */
  private resultOfFailure(error: unknown, durationSeconds: number): AttemptResult | null {
    const { log } = this.parts;
    const text = error instanceof Error ? error.message : String(error);
    if (this.abort.signal.aborted && !this.hasEnded) {
      log.warn(`${this.title()} was ended: ${text}`);
      return null;
    }
    if (error instanceof NotStarted || error instanceof Unusable) {
      log.warn(`${this.title()} goes back: ${text}`);
      this.notStarted = true;
      this.returning ??= this.returnLease(text);
      return null;
    }
    const result = this.verdict.resultWithout(text);
    if (result) return result;
    log.warn(`${this.title()} could not be executed: ${text}`);
    return resultOfError(error, durationSeconds);
  }

  private renewLater(): void {
    this.cancelRenewal = this.parts.clock.after(this.lease.renewEveryMs, () => {
      this.renewLater();
      this.parts.client.renew(this.lease.arch, this.fence()).then(
        (reply) => this.onRenewed(reply),
        (error: unknown) =>
          this.parts.log.warn(`${this.title()}: the lease was not renewed: ${String(error)}`),
      );
    });
  }

  private onRenewed(reply: RenewReply): void {
    if (!this.parts.epochs.accepts(reply)) return;
    if (reply.instruction === 'continue') return this.parts.notices.onAnswer(this.lease.arch, reply);
    this.stop({ ...reply, reason: reply.reason ?? 'the lease is gone' });
  }

  private async returnLease(reason: string): Promise<void> {
    const { identity, lease, parts } = this;
    await returnLease(identity, lease, reason, parts.settings.stopTimeoutMs, parts);
  }

  private fence() {
    return { ...this.identity, ...grantOf(this.lease) };
  }

  private title(): string {
    return `run ${this.lease.runId} attempt ${this.lease.attempt}`;
  }
}
