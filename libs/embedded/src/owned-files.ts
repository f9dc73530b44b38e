import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, chmod, lstat, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandFailed, runCommand, type SystemUser } from './command';

/**
 * Makes a folder, if it is not there, that `user` owns (null: the user who made it) with exactly this mode, whatever the
 * umask. What lies in it follows when it belonged to another user, as when the machine gets a user postgres later.
 */
export async function ensureFolder(path: string, mode: number, user: SystemUser | null): Promise<void> {
  await createFolder(path, mode);
  await chmod(path, mode).catch((error: unknown) => throwNotOurs(path, error));
  if (user && (await stat(path)).uid !== user.uid) {
    await runCommand('chown', ['-R', `${user.uid}:${user.gid}`, path]);
  }
}

/** @throws with the code of the system */
function throwNotOurs(path: string, error: unknown): never {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'EPERM') throw error;
  const advice = `type chown -R ${process.getuid!()} ${path} as root, or start as the user who owns it`;
  throw Object.assign(new Error(`${path} belongs to another user: ${advice}`, { cause: error }), { code });
}

async function createFolder(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode });
  } catch (error) {
    // Node.js answers so where the disk is read-only; the system names the cause when it is asked about the folder above.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      await access(await nearestExisting(dirname(path)), constants.W_OK);
    throw error;
  }
}

/** The folder itself, or the nearest above it that exists. */
export async function nearestExisting(path: string): Promise<string> {
  const status = await stat(path).catch(() => null);
  return status === null && dirname(path) !== path ? nearestExisting(dirname(path)) : path;
}

/**
 * Never a half-written file for who reads it at this moment, nor one that another writer has begun. It has exactly this mode,
 * whatever the umask and whatever was there.
 * @param user owns it; null: whoever writes it
 */
export async function replaceFile(
  path: string,
  text: string,
  mode: number,
  user: SystemUser | null = null,
): Promise<void> {
  const next = `${path}.${randomUUID()}.next`;
  try {
    const file = await open(next, 'wx', mode);
    try {
      await file.writeFile(text);
      await file.chmod(mode);
      if (user) await file.chown(user.uid, user.gid);
    } finally {
      await file.close();
    }
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}

/** Gives a file or folder that is there exactly this mode; whatever a link points to is left alone. */
export async function mendMode(path: string, mode: number): Promise<void> {
  const status = await lstat(path).catch(ignoreMissing);
  if (!status || status.isSymbolicLink() || (status.mode & 0o7777) === mode) return;
  await chmod(path, mode).catch(ignoreMissing);
}

/** Lets everybody read a folder and all in it, execute what its owner may execute, and nobody but its owner change it. */
export async function mendReadable(folder: string): Promise<void> {
  if (!(await stat(folder).catch(ignoreMissing))) return;
  // Who may not change it may well use it: whether that user can, is asked where it is used.
  await runCommand('chmod', ['-R', 'u=rwX,go=rX', folder]).catch((error: unknown) => {
    if (!(error instanceof CommandFailed)) throw error;
  });
}

function ignoreMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return null;
}
