import { readFile, rm, stat } from 'node:fs/promises';
import { isVisible } from './left-over';
import { mendMode, removeUnlessFile } from './owned-files';
import { statusOf } from './process-identity';

/** As PostgreSQL makes it. */
const PID_FILE_MODE = 0o600;

/**
 * Removes the pid file of a server that does not run, where PostgreSQL would not do so itself: it treats any process
 * with that number as the server, and refuses an invalid file. A number without a process is left to PostgreSQL, which
 * also checks for shared memory. Call it when no server was found in the folder.
 * @throws Error with the file and the remedy, if the process may be the server after all
 */
export async function removeStalePidFile(path: string): Promise<void> {
  await removeUnlessFile(path);
  await mendMode(path, PID_FILE_MODE);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return;
  const pid = Number(/^[1-9]\d{0,9}$/.exec(text.split('\n', 1)[0] ?? '')?.[0] ?? NaN);
  const status = Number.isNaN(pid) ? undefined : statusOf(pid);
  if (status === null) return;
  if (status?.name === 'postgres' && !isVisible(pid) && (await isOfOwner(pid, path))) {
    throw new Error(
      `${path} names process ${pid}, a PostgreSQL that this user may not look at. If it is that of this home, type: kill -INT ${pid}; if it is another one: rm ${path}`,
    );
  }
  await rm(path, { force: true });
}

/** A server runs as the owner of its data. */
async function isOfOwner(pid: number, path: string): Promise<boolean> {
  const [file, running] = await Promise.all([stat(path), stat(`/proc/${pid}`).catch(() => null)]);
  return running !== null && running.uid === file.uid;
}
