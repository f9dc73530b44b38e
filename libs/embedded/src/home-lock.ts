import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { asIdentity, identify, isRunning, type ProcessIdentity } from './process-identity';

export interface LockHolder extends ProcessIdentity {
  /** Where it serves. */
  url: string;
}

/** Another Proctor runs on the same home. */
export class HomeInUse extends Error {
  constructor(readonly holder: LockHolder) {
    super(`Proctor is already running on this home (pid ${holder.pid}, ${holder.url})`);
  }
}

/** A file that says who uses a home. One that names a process which is gone counts for nothing. */
export class HomeLock {
  private constructor(
    private readonly path: string,
    private readonly text: string,
    /** The holder before did not release it: it was killed. */
    readonly isTakenOver: boolean,
  ) {}

  /** @throws HomeInUse */
  static async acquire(path: string, url: string): Promise<HomeLock> {
    const self = identify(process.pid);
    if (!self) throw new Error('/proc does not show this process');
    const text = JSON.stringify({ ...self, url });
    // A lock appears complete or not at all: a link to a finished file, which fails when there is one.
    const draft = `${path}.${process.pid}`;
    await writeFile(draft, text, { mode: 0o644 });
    let isTakenOver = false;
    try {
      while (!(await isLinked(draft, path))) {
        await removeStale(path);
        isTakenOver = true;
      }
    } finally {
      await rm(draft, { force: true });
    }
    return new HomeLock(path, text, isTakenOver);
  }

  /** The process that uses the home now; null when there is none. */
  static async holder(path: string): Promise<LockHolder | null> {
    const text = await readText(path);
    return text === null ? null : runningHolder(text);
  }

  async release(): Promise<void> {
    if ((await readText(this.path)) === this.text) await rm(this.path);
  }
}

async function isLinked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function removeStale(path: string): Promise<void> {
  const text = await readText(path);
  if (text === null) return;
  const holder = runningHolder(text);
  if (holder) throw new HomeInUse(holder);
  // Two starts may find the same stale lock: each moves what is there aside, and gives back what it did not judge.
  const aside = `${path}.stale.${process.pid}`;
  await rename(path, aside).catch(ignoreMissing);
  if ((await readText(aside)) !== text) await isLinked(aside, path).catch(ignoreMissing);
  await rm(aside, { force: true });
}

function runningHolder(text: string): LockHolder | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const found = asIdentity(value);
  const { url } = (value ?? {}) as { url?: unknown };
  return found && isRunning(found) ? { ...found, url: typeof url === 'string' ? url : '' } : null;
}

async function readText(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    ignoreMissing(error);
    return null;
  });
}

function ignoreMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
