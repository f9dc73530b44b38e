import type { Clock } from './clock';

/** Repeats an action: each pause begins when the action before it has ended, so that one at most is under way. */
export class Repeater {
  private cancel: (() => void) | null = null;

  /**
   * @param pauseMs the one that holds at the moment of the call
   * @param onFailed is told why an action failed, which was the last then; without it no action may fail
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

  /** The first action follows after a pause. */
  start(): void {
    this.cancel = this.clock.after(this.pauseMs(), () => void this.runAction());
  }

  /** No other action begins; one that is under way goes on. */
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
