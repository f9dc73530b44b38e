import { endOfFile } from '../autopkgtest/plain-file';
import type { RunFolder } from '../sandbox/run-folder';
import type { Sandbox, SandboxUse } from '../sandbox/sandbox';
import type { Sandboxes } from '../sandbox/sandboxes';
import { Unusable } from '../sandbox/unusable';
import { NotStarted } from '../slot/ports';
import type { Testbeds } from '../testbed/testbeds';

const ERRORS_BYTES_MAX = 1024;

/**
 * Opens sandboxes in the way that was proved to work on this machine. Rights and settings may change while the worker
 * lives: when one cannot be opened, the way is proved again.
 */
export class SandboxOpener {
  /** The last one could not be opened, although a trial after it succeeded. */
  private isSuspect = false;

  constructor(
    private readonly sandboxes: Pick<Sandboxes, 'start'>,
    private readonly testbeds: Pick<Testbeds, 'recheck' | 'isBroken'>,
  ) {}

  /**
   * @throws NotStarted when the machine had changed, or no longer takes work; another error when a trial succeeds and
   * the next sandbox cannot be opened either
   */
  async open(folder: RunFolder, use: SandboxUse): Promise<Sandbox> {
    const wasSuspect = this.isSuspect;
    try {
      const sandbox = await this.sandboxes.start(folder, use);
      this.isSuspect = false;
      return sandbox;
    } catch (error) {
      // The command line is too long: that is not the machine's fault.
      if ((error as NodeJS.ErrnoException).code === 'E2BIG') throw error;
      // Another one could not be opened either, and the reason is being searched.
      if (error instanceof Unusable) throw new NotStarted(error.message);
      const errors = (await endOfFile(folder.errors, ERRORS_BYTES_MAX)).trim();
      const why = `no sandbox could be opened: ${errors || (error as Error).message}`;
      this.isSuspect = true;
      await this.testbeds.recheck(why);
      throw wasSuspect && !this.testbeds.isBroken ? new Error(why) : new NotStarted(why);
    }
  }
}
