import { Repeater, type Clock } from '@proctor/clock';
import type { Log } from '@proctor/process';
import { readVersion } from '../autopkgtest/output';

/** A test that should not have started may run this long. */
const POLL_MS = 50;

/**
 * Waits until a running test runner has written the version that it tests, and calls `onRejected` once if that version
 * is rejected.
 */
export class VersionWatch {
  private readonly checks: Repeater;

  constructor(
    private readonly outputFolder: string,
    private readonly rejected: readonly string[],
    private readonly onRejected: () => void,
    clock: Clock,
    log: Log,
  ) {
    // The version is checked again when the runner has ended.
    const onFailure = (error: unknown) => log.warn(`the version is not watched: ${String(error)}`);
    this.checks = new Repeater(clock, () => POLL_MS, this.check.bind(this), onFailure);
  }

  start(): void {
    if (this.rejected.length > 0) this.checks.start();
  }

  stop(): void {
    this.checks.stop();
  }

  private async check(): Promise<void> {
    const version = await readVersion(this.outputFolder);
    if (version === null || !this.checks.isActive) return;
    this.stop();
    if (this.rejected.includes(version)) this.onRejected();
  }
}
