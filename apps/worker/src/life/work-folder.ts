import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** flock's status when another process has the lock. */
const LOCKED = 1;

/** Another process uses the folder. */
export class WorkFolderInUse extends Error {
  constructor(path: string, holder: string) {
    super(
      `another worker uses the work folder ${path} (${holder}): each worker needs a folder and a name of its own`,
    );
  }
}

/**
 * Locks the work folder for the rest of this process's life. The kernel releases the lock when the process ends in any
 * way, and knows processes in other containers that share the folder; a file with a process id would offer neither.
 * @throws WorkFolderInUse if another process holds the lock
 */
export function lockWorkFolder(path: string): void {
  mkdirSync(path, { recursive: true });
  setModes(path);
  const file = join(path, 'lock');
  // Never closed: the lock belongs to the open file, which flock only borrows.
  const handle = openSync(file, 'a+');
  const { status, stderr, error } = spawnSync('flock', ['--exclusive', '--nonblock', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', handle],
    encoding: 'utf8',
  });
  if (status !== 0) {
    closeSync(handle);
    if (status === LOCKED) throw new WorkFolderInUse(path, readFileSync(file, 'utf8').trim() || 'unknown');
    throw new Error(`the work folder ${path} cannot be locked: ${error?.message ?? stderr.trim()}`);
  }
  ftruncateSync(handle);
  writeSync(handle, `process ${process.pid} on ${hostname()}\n`);
}

/** Sets the modes, whatever the umask was: runs enter the folder by name, and results are private to the worker. */
function setModes(path: string): void {
  chmodSync(path, 0o755);
  const results = join(path, 'results');
  if (existsSync(results)) chmodSync(results, 0o700);
}
