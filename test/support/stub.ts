import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ConfigurationFiles } from './proctor';

/** The suite that the stub's testbeds are said to be. */
export const STUB_SUITE = 'testing';

/** A deployment whose only variant is the stub: no image, no archive. */
export function stubConfiguration(scheduler: Record<string, unknown> = {}, slots = 2): ConfigurationFiles {
  return {
    proctor: { suites: [STUB_SUITE], backends: ['null'], variants: ['stub'], scheduler },
    worker: {
      slots,
      suitesAtStart: [STUB_SUITE],
      backends: ['null'],
      machineMayBeDestroyed: true,
      variants: { stub: [resolve(__dirname, '../stub/autopkgtest-stub')] },
    },
  };
}

/** A folder where the stub's executions leave their marks, whatever user they run as. */
export class Marks {
  private constructor(readonly folder: string) {}

  static async make(): Promise<Marks> {
    // Tests have a /tmp of their own.
    const folder = await mkdtemp('/var/tmp/proctor-marks-');
    await chmod(folder, 0o777);
    return new Marks(folder);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** One line for each execution of a run with the trigger word `append:FILE`, in order. */
  async lines(name: string): Promise<string[]> {
    try {
      return (await readFile(this.path(name), 'utf8')).trimEnd().split('\n');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  async count(name: string): Promise<number> {
    return (await this.lines(name)).length;
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}
