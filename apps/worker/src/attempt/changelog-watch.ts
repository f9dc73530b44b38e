import { constants } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Repeater, type Clock } from '@proctor/clock';
import type { Log } from '@proctor/process';
import { SOURCE_CHANGELOG } from '@proctor/result-files';
import { startOfFile } from '../autopkgtest/plain-file';

/** The runner has the tree from before the first test until the end of the last one. */
const POLL_MS = 250;

/**
 * Reads the changelog of the tested source while the test runner has its tree, because the runner removes the tree at its
 * end. Nothing depends on it: without it the artifacts have no changelog.
 */
export class ChangelogWatch {
  private readonly checks: Repeater;
  private text = '';

  /** @param bytesMax of the beginning of the file; 0: it is not read */
  constructor(
    private readonly outputFolder: string,
    private readonly bytesMax: number,
    clock: Clock,
    private readonly log: Log,
  ) {
    this.checks = new Repeater(clock, () => POLL_MS, this.check.bind(this), this.warn.bind(this));
  }

  start(): void {
    if (this.bytesMax > 0) this.checks.start();
  }

  stop(): void {
    this.checks.stop();
  }

  /** Writes the changelog beside the other files of the runner, once the runner has ended. Never rejects. */
  async save(): Promise<void> {
    if (this.text === '') return;
    // A file of that name is the runner's own.
    await writeFile(join(this.outputFolder, SOURCE_CHANGELOG), this.text, { flag: 'wx' }).catch(
      this.warn.bind(this),
    );
  }

  private async check(): Promise<void> {
    const before = this.text;
    this.text = await readChangelog(this.outputFolder, this.bytesMax);
    // Until it is the same twice, the runner may still be copying it.
    if (this.text !== '' && this.text === before) this.stop();
    else if (this.text === '') this.text = before;
  }

  private warn(error: unknown): void {
    this.log.warn(`the changelog of a source is not kept: ${String(error)}`);
  }
}

/** The beginning of the changelog in the tree of a running test runner; empty if there is none. No link is followed. */
async function readChangelog(outputFolder: string, bytesMax: number): Promise<string> {
  const folder = await openFolder(join(outputFolder, 'tests-tree'));
  if (!folder) return '';
  try {
    const debian = await openFolder(join(inside(folder.fd), 'debian'));
    if (!debian) return '';
    try {
      return await startOfFile(join(inside(debian.fd), 'changelog'), bytesMax);
    } finally {
      await debian.close();
    }
  } finally {
    await folder.close();
  }
}

/** A path into an open folder: the folder cannot be replaced by a link meanwhile. */
function inside(fd: number): string {
  return `/proc/self/fd/${fd}`;
}

async function openFolder(path: string) {
  return open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(() => null);
}
