import type { Clock } from '@proctor/clock';
import type { Log } from '@proctor/process';
import { versionSoFar } from '../autopkgtest/output';

/** How long a test may run that should not have begun. */
const POLL_MS = 50;

/** Waits until a running test runner says which version it tests, and calls once if that is a rejected one. */
export class VersionWatch {
  private cancelPoll: () => void = () => undefined;
  private stopped = false;

  constructor(
    private readonly outputFolder: string,
    private readonly rejected: readonly string[],
    private readonly onRejected: () => void,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  start(): void {
    if (this.rejected.length === 0) return;
    this.cancelPoll = this.clock.after(POLL_MS, () => {
      // Once the runner has ended, the version is looked at again.
      this.look().catch((error: unknown) => this.log.warn(`the version is not watched: ${String(error)}`));
    });
  }

  stop(): void {
    this.stopped = true;
    this.cancelPoll();
  }

  private async look(): Promise<void> {
    const version = await versionSoFar(this.outputFolder);
    if (this.stopped) return;
    if (version === null) this.start();
    else if (this.rejected.includes(version)) this.onRejected();
  }
}
