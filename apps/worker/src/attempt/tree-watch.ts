import { Repeater, type Clock } from '@proctor/clock';
import type { Log } from '@proctor/process';
import { readVersion } from '../autopkgtest/output';
import { unpackingWait, findUnreadableFile } from '../autopkgtest/unreadable-tree';
import type { Sandbox } from '../sandbox/sandbox';

/** A runner may wait this long for a file that never ends. */
const POLL_MS = 500;

/** Processes are checked every tenth time: one that waits twice in a row waits for ever. */
const PROCESSES_EVERY = 10;

/**
 * Checks whether a running test runner, or the program that unpacks the package in the testbed, reads a file that never
 * ends, and calls `onFound` once if so.
 */
export class TreeWatch {
  private checks: Repeater | null = null;
  private count = 0;
  private waiting = new Set<number>();
  private unreadable: string | null = null;

  /** @param sandbox of the runner */
  constructor(
    private readonly outputFolder: string,
    private readonly sandbox: Pick<Sandbox, 'waitingForPipes'>,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** The file and its kind; null: none was found. */
  get unreadableFile(): string | null {
    return this.unreadable;
  }

  start(onFound: () => void): void {
    const onFailure = (error: unknown) =>
      this.log.warn(`the files of a package are not watched: ${String(error)}`);
    this.checks = new Repeater(
      this.clock,
      () => POLL_MS,
      () => this.check(onFound),
      onFailure,
    );
    this.checks.start();
  }

  stop(): void {
    this.checks?.stop();
  }

  private async check(onFound: () => void): Promise<void> {
    this.count += 1;
    const isTurnOfProcesses = this.count % PROCESSES_EVERY === 0;
    const unreadable =
      (await findUnreadableFile(this.outputFolder)) ?? (isTurnOfProcesses ? await this.findPipe() : null);
    if (unreadable === null || !this.checks?.isActive) return;
    this.stop();
    this.unreadable = unreadable;
    onFound();
  }

  /** A pipe for which unpacking waits; unpacking ends before the package's version is known. */
  private async findPipe(): Promise<string | null> {
    if ((await readVersion(this.outputFolder)) !== null) return null;
    const before = this.waiting;
    const waiting = (await this.sandbox.waitingForPipes()).flatMap(({ pid, command }) => {
      const what = unpackingWait(command);
      return what === null ? [] : [{ pid, what }];
    });
    this.waiting = new Set(waiting.map(({ pid }) => pid));
    return waiting.find(({ pid }) => before.has(pid))?.what ?? null;
  }
}
