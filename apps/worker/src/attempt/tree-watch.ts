import { Repeater, type Clock } from '@proctor/clock';
import type { Log } from '@proctor/process';
import { unreadableFile } from '../autopkgtest/unreadable-tree';

/** How long a runner may wait for what never comes. */
const POLL_MS = 500;

/** Looks whether a running test runner has been given a file that it can never read to its end, and calls once if so. */
export class TreeWatch {
  private looks: Repeater | null = null;
  private unreadable: string | null = null;

  constructor(
    private readonly outputFolder: string,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** What it is; null: nothing was found. */
  get found(): string | null {
    return this.unreadable;
  }

  start(onFound: () => void): void {
    const failed = (error: unknown) =>
      this.log.warn(`the files of a package are not watched: ${String(error)}`);
    this.looks = new Repeater(
      this.clock,
      () => POLL_MS,
      () => this.look(onFound),
      failed,
    );
    this.looks.start();
  }

  stop(): void {
    this.looks?.stop();
  }

  private async look(onFound: () => void): Promise<void> {
    const found = await unreadableFile(this.outputFolder);
    if (found === null || !this.looks?.isActive) return;
    this.stop();
    this.unreadable = found;
    onFound();
  }
}
