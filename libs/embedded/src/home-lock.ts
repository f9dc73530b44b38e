import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { replaceFile } from './owned-files';
import { asIdentity, identify, isRunning, type ProcessIdentity } from './process-identity';

/** flock's status when another process has the lock. */
const LOCKED = 1;

interface LockHolder extends ProcessIdentity {
  /** Its address. */
  url: string;
}

/** Another Proctor runs on the same home. */
export class HomeInUse extends Error {
  /** @param holder null: it cannot be seen from here */
  constructor(
    home: string,
    readonly holder: LockHolder | null,
  ) {
    super(
      holder
        ? `Proctor is already running on this home (pid ${holder.pid}, ${holder.url})`
        : `another Proctor uses ${home} and cannot be seen from here, as in another container: end it there, or name another folder in PROCTOR_HOME`,
    );
  }
}

/**
 * The right to use a home, and a file with its holder. The right is a kernel lock on the folder, which ends with the
 * process in any case, and which processes of other containers see too; the file is for those who ask.
 */
export class HomeLock {
  private constructor(
    private readonly path: string,
    private readonly text: string,
    private readonly folder: number,
    /** The last holder did not release it: it was killed. */
    readonly isTakenOver: boolean,
  ) {}

  /** @param path the file of the lock, in the home @throws HomeInUse if another process holds the lock */
  static async acquire(path: string, url: string): Promise<HomeLock> {
    const self = identify(process.pid);
    if (!self) throw new Error('/proc does not show this process');
    const folder = lockFolder(dirname(path));
    if (folder === null) throw new HomeInUse(dirname(path), await HomeLock.holder(path));
    try {
      const isTakenOver = (await readText(path)) !== null;
      const text = JSON.stringify({ ...self, url });
      await replaceFile(path, text, 0o644);
      return new HomeLock(path, text, folder, isTakenOver);
    } catch (error) {
      closeSync(folder);
      throw error;
    }
  }

  /** The process that uses the home now; null: none. */
  static async holder(path: string): Promise<LockHolder | null> {
    const text = await readText(path);
    return text === null ? null : runningHolder(text);
  }

  async release(): Promise<void> {
    if ((await readText(this.path)) === this.text) await rm(this.path);
    closeSync(this.folder);
  }
}

/** @returns the open folder; closing it ends the lock; null: another process has the lock */
function lockFolder(path: string): number | null {
  // Child processes do not inherit it.
  const folder = openSync(path, 'r');
  const { status, stderr, error } = spawnSync('flock', ['--exclusive', '--nonblock', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', folder],
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
  });
  if (status === 0) return folder;
  closeSync(folder);
  if (status === LOCKED) return null;
  throw new Error(`${path} cannot be locked: ${error?.message ?? stderr.trim()}`);
}

function runningHolder(text: string): LockHolder | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const identity = asIdentity(value);
  const { url } = (value ?? {}) as { url?: unknown };
  return identity && isRunning(identity) ? { ...identity, url: typeof url === 'string' ? url : '' } : null;
}

async function readText(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return null;
  });
}
