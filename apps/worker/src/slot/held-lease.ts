import {
  grantOf,
  isSameGrant,
  type Lease,
  type RenewReply,
  type SlotIdentity,
  type StopAttemptSignal,
} from '@proctor/contracts';
import { Unusable } from '../sandbox/unusable';
import { notExecuted, notKept } from './failed-attempt';
import { giveBack } from './give-back';
import { NotStarted, type AttemptResult } from './ports';
import type { SlotParts } from './slot-parts';

/** `not-started`: the lease went back since the machine could not begin. */
export type HoldingEnd = 'ended' | 'not-started';

/** A lease and its attempt, from the grant until the result is recorded. */
export class HeldLease {
  private readonly abort = new AbortController();
  private cancelRenewal: () => void = () => undefined;
  private handedBack: Promise<void> | null = null;
  private notStarted = false;
  private hasResult = false;
  /** Ends the wait for the dispatcher's answer to the result; the outbox goes on alone. */
  private release: () => void = () => undefined;
  private readonly released = new Promise<void>((resolve) => (this.release = resolve));
  private saysThatItWaits: () => void = () => undefined;
  /** Resolves when the result has waited for its answer for so long that the slot should do something else meanwhile. */
  readonly waits = new Promise<'waiting'>((resolve) => (this.saysThatItWaits = () => resolve('waiting')));

  constructor(
    private readonly identity: SlotIdentity,
    private readonly lease: Lease,
    private readonly parts: SlotParts,
  ) {}

  /** Resolves when the slot is free for the next lease, whatever happened; never rejects. */
  async execute(): Promise<HoldingEnd> {
    const { lease, parts } = this;
    parts.log.log(
      `${this.title()}: ${lease.package} on ${lease.suite}/${lease.arch} (${lease.backend}) begins`,
    );
    this.renewLater();
    const result = await this.runToResult();
    if (result) {
      this.hasResult = true;
      const cancelWait = parts.clock.after(parts.settings.answerWaitMs, () => this.saysThatItWaits());
      await Promise.race([this.report(result), this.released]);
      cancelWait();
    }
    this.cancelRenewal();
    await this.handedBack;
    return this.notStarted ? 'not-started' : 'ended';
  }

  /**
   * Gives the lease back first, so that another slot may begin at once; then ends the attempt. A result that is there
   * already stays with the outbox.
   */
  async handBackAndEnd(reason: string): Promise<void> {
    if (!this.abort.signal.aborted && !this.hasResult) this.handedBack ??= this.handBack(reason);
    await this.handedBack;
    this.abort.abort(new Error(reason));
    this.release();
  }

  /** The lease is gone: ends the attempt and reports nothing. Does nothing when another grant is meant. */
  stop(signal: StopAttemptSignal): void {
    if (isSameGrant(this.lease, signal)) this.end(signal.reason);
  }

  /** Ends the attempt and reports nothing; a result that is there already stays with the outbox. */
  end(reason: string): void {
    this.cancelRenewal();
    this.abort.abort(new Error(reason));
    this.release();
  }

  private async runToResult(): Promise<AttemptResult | null> {
    const { lease, parts } = this;
    if (this.abort.signal.aborted) return null;
    const started = () => parts.outbox.started(lease.arch, this.fence());
    const begun = parts.clock.now();
    try {
      const result = await parts.runner.run(lease, started, this.abort.signal);
      return this.abort.signal.aborted ? null : result;
    } catch (error) {
      const durationSeconds = Math.round((parts.clock.now() - begun) / 1000);
      return this.failure(error, durationSeconds);
    }
  }

  /** What is reported of an attempt that ended in an error; null when it was told to end, or the lease goes back. */
  private failure(error: unknown, durationSeconds: number): AttemptResult | null {
    const { log } = this.parts;
    const text = error instanceof Error ? error.message : String(error);
    if (this.abort.signal.aborted) {
      log.warn(`${this.title()} was ended: ${text}`);
      return null;
    }
    if (error instanceof NotStarted || error instanceof Unusable) {
      log.warn(`${this.title()} goes back: ${text}`);
      this.notStarted = true;
      this.handedBack ??= this.handBack(text);
      return null;
    }
    log.warn(`${this.title()} could not be executed: ${text}`);
    return notExecuted(error, durationSeconds);
  }

  /** While this lasts the lease is renewed, since the result counts only as long as the run was not granted again. */
  private async report({ files, ...result }: AttemptResult): Promise<void> {
    const { lease, parts } = this;
    parts.log.log(`${this.title()}: ${result.verdict} (${result.message})`);
    const named = files.map(({ name, size, sha256 }) => ({ name, size, sha256 }));
    try {
      await parts.outbox.finished(lease.arch, { ...this.fence(), ...result, files: named }, files);
    } catch (error) {
      await this.reportUnkept(String(error), result.durationSeconds);
    }
  }

  /**
   * A result that is not on disk must not be told as one. The attempt has failed and counts, or the run would be executed
   * for nothing again and again.
   */
  private async reportUnkept(why: string, durationSeconds: number): Promise<void> {
    const { lease, parts } = this;
    parts.log.warn(`${this.title()}: the result could not be kept: ${why}`);
    await parts.outbox.unkept(lease.arch, { ...this.fence(), ...notKept(why, durationSeconds) });
  }

  private renewLater(): void {
    this.cancelRenewal = this.parts.clock.after(this.lease.renewEveryMs, () => {
      this.renewLater();
      this.parts.client.renew(this.lease.arch, this.fence()).then(
        (reply) => this.follow(reply),
        (error: unknown) =>
          this.parts.log.warn(`${this.title()}: the lease was not renewed: ${String(error)}`),
      );
    });
  }

  private follow(reply: RenewReply): void {
    if (!this.parts.epochs.accepts(reply)) return;
    if (reply.instruction === 'continue') return this.parts.notices.heard(this.lease.arch, reply);
    this.stop({ ...reply, reason: reply.reason ?? 'the lease is gone' });
  }

  private async handBack(reason: string): Promise<void> {
    const { identity, lease, parts } = this;
    await giveBack(identity, lease, reason, parts.settings.stopTimeoutMs, parts);
  }

  private fence() {
    return { ...this.identity, ...grantOf(this.lease) };
  }

  private title(): string {
    return `run ${this.lease.runId} attempt ${this.lease.attempt}`;
  }
}
