import { Repeater, type Clock } from '@proctor/clock';
import type { Log } from '@proctor/process';
import { versionSoFar } from '../autopkgtest/output';

/** How long a test may run that should not have begun. */
const POLL_MS = 50;

/** Waits until a running test runner says which version it tests, and calls once if that is a rejected one. */
export class VersionWatch {
  private readonly looks: Repeater;

  constructor(
    private readonly outputFolder: string,
    private readonly rejected: readonly string[],
    private readonly onRejected: () => void,
    clock: Clock,
    log: Log,
  ) {
    // Once the runner has ended, the version is looked at again.
    const failed = (error: unknown) => log.warn(`the version is not watched: ${String(error)}`);
    this.looks = new Repeater(clock, () => POLL_MS, this.look.bind(this), failed);
  }

  start(): void {
    if (this.rejected.length > 0) this.looks.start();
  }

  stop(): void {
    this.looks.stop();
  }

  private async look(): Promise<void> {
    const version = await versionSoFar(this.outputFolder);
    if (version === null || !this.looks.isActive) return;
    this.stop();
    if (this.rejected.includes(version)) this.onRejected();
  }
}
