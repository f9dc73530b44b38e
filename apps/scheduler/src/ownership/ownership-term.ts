import type { Clock } from '@proctor/clock';
import type { Ownership } from '@proctor/dispatch';

/** Ownership of an architecture as its owner may rely on it: by its own monotonic clock, with a margin. */
export class OwnershipTerm {
  readonly arch: string;
  readonly epoch: number;
  private endMs = 0;
  private cancelEnd = (): void => undefined;
  private over = false;

  /** @param onEnd called once, when the term expires or is given up */
  constructor(
    ownership: Ownership,
    private readonly clock: Clock,
    private readonly onEnd: (term: OwnershipTerm, reason: string) => void,
  ) {
    this.arch = ownership.arch;
    this.epoch = ownership.epoch;
  }

  /** Reads the clock, so a process that was stopped for a while notices that it is too late. */
  holds(): boolean {
    return !this.over && this.clock.now() < this.endMs;
  }

  /** Answers to renewals may come in another order than the requests. */
  renewUntil(endMs: number): void {
    if (!this.over && endMs > this.endMs) this.setEnd(endMs);
  }

  setEnd(endMs: number): void {
    this.endMs = endMs;
    this.cancelEnd();
    this.cancelEnd = this.clock.after(Math.max(0, endMs - this.clock.now()), () => {
      if (this.holds()) this.setEnd(this.endMs);
      else this.abandon('it could not be renewed in time');
    });
  }

  abandon(reason: string): void {
    if (this.over) return;
    this.close();
    this.onEnd(this, reason);
  }

  /** Ends it without calling `onEnd`. */
  close(): void {
    this.over = true;
    this.cancelEnd();
  }
}
