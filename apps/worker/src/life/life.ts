import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PREVIOUS_MAX } from '@proctor/contracts';
import type { Log } from '@proctor/process';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * This life of the worker process, and earlier ones in the same work folder. The folder must be locked: so the earlier
 * lives have ended, and dispatchers may treat their leases as lost.
 */
export class WorkerLife {
  readonly incarnation = randomUUID();
  private recording: Promise<void> | null = null;

  private constructor(
    private readonly path: string,
    /** The latest first. */
    readonly previous: readonly string[],
    private readonly log: Log,
  ) {}

  static async start(workPath: string, log: Log): Promise<WorkerLife> {
    const path = join(workPath, 'lives.json');
    return new WorkerLife(path, await readLives(path, log), log);
  }

  /**
   * Resolves when the next life will know this one. Call it before the first request for work, so that lives without a
   * request push none out of the list. Never rejects: without the record the next life only has to wait.
   */
  whenRecorded(): Promise<void> {
    this.recording ??= this.record().catch((error: unknown) => {
      this.log.warn(`this life of the worker is not recorded, the next may wait for work: ${String(error)}`);
    });
    return this.recording;
  }

  private async record(): Promise<void> {
    const lives = [this.incarnation, ...this.previous].slice(0, PREVIOUS_MAX);
    const draft = `${this.path}.new`;
    await writeFile(draft, JSON.stringify(lives), { mode: 0o600 });
    await rename(draft, this.path);
  }
}

async function readLives(path: string, log: Log): Promise<string[]> {
  try {
    const lives: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (!Array.isArray(lives)) throw new Error('it is no list');
    return lives.filter((life): life is string => typeof life === 'string' && UUID.test(life));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      log.warn(`${path} cannot be read, so the dispatchers may make this worker wait: ${String(error)}`);
    return [];
  }
}
