import type { Clock } from './clock';

/** Repeats an action: each pause starts when the action before it has ended, so that at most one runs. */
export class Repeater {
  private cancel: (() => void) | null = null;

  /**
   * @param pauseMs returns the current pause
   * @param onFailed is called with the error of an action that failed, which ends the repetition; without it no action
   * may fail
   */
  constructor(
    private readonly clock: Clock,
    private readonly pauseMs: () => number,
    private readonly action: () => void | Promise<void>,
    private readonly onFailed?: (error: unknown) => void,
  ) {}

  /** Whether it was started and not stopped since. */
  get isActive(): boolean {
    return this.cancel !== null;
  }

  /** The first action comes after a pause. */
  start(): void {
    this.cancel = this.clock.after(this.pauseMs(), () => void this.runAction());
  }

  /** No further action starts; a running one continues. */
  stop(): void {
    this.cancel?.();
    this.cancel = null;
  }

  private async runAction(): Promise<void> {
    try {
      await this.action();
    } catch (error) {
      this.stop();
      if (!this.onFailed) throw error;
      this.onFailed(error);
    }
    if (this.isActive) this.start();
  }
}
