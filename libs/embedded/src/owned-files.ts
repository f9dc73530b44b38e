import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, chmod, lstat, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandFailed, runCommand, type SystemUser } from './command';

/**
 * Creates a folder if it is missing, owned by `user` (null: the current user) with exactly this mode, whatever the
 * umask. Its content changes owner with it if it belonged to another user, for example when the machine gets a user
 * postgres later.
 */
export async function prepareFolder(path: string, mode: number, user: SystemUser | null): Promise<void> {
  await createFolder(path, mode);
  await chmod(path, mode).catch((error: unknown) => throwNotOurs(path, error));
  if (user && (await stat(path)).uid !== user.uid) {
    await runCommand('chown', ['-R', `${user.uid}:${user.gid}`, path]);
  }
}

/** @throws Error with advice and the code EPERM, if the file belongs to another user; else `error` itself */
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
    // Node.js answers this on a read-only disk; the system names the cause for the folder above.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      await access(await nearestExisting(dirname(path)), constants.W_OK);
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new Error(`${path} is no folder, and one belongs there; type mv ${path} ${path}.old`, {
        cause: error,
      });
    throw error;
  }
}

/** Removes what is no file from the place of one that only says what an earlier life did. */
export async function removeUnlessFile(path: string): Promise<void> {
  const status = await lstat(path).catch(ignoreMissing);
  if (status && !status.isFile()) await rm(path, { recursive: true });
}

/** @throws Error with advice, if there is something else than a file: reading it would fail, or wait forever */
export async function requireFile(path: string): Promise<void> {
  const status = await stat(path).catch(ignoreMissing);
  if (!status || status.isFile()) return;
  throw new Error(`${path} is no file; type mv ${path} ${path}.old, and the next start makes a new one`);
}

/** The path itself, or its nearest existing parent. */
export async function nearestExisting(path: string): Promise<string> {
  const status = await stat(path).catch(() => null);
  return status === null && dirname(path) !== path ? nearestExisting(dirname(path)) : path;
}

/**
 * Replaces a file at once: readers see the old or the new text, also with several writers. It gets exactly this mode,
 * whatever the umask and the old mode.
 * @param user its owner; null: the current user
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

/** Gives an existing file or folder exactly this mode; targets of links are not changed. */
export async function mendMode(path: string, mode: number): Promise<void> {
  const status = await lstat(path).catch(ignoreMissing);
  if (!status || status.isSymbolicLink() || (status.mode & 0o7777) === mode) return;
  await chmod(path, mode).catch(ignoreMissing);
}

/**
 * All users may read a folder and its content, and execute what its owner may execute; only its owner may change it.
 */
export async function mendReadable(folder: string): Promise<void> {
  if (!(await stat(folder).catch(ignoreMissing))) return;
  // A user who may not change it may still use it: that is checked where it is used.
  await runCommand('chmod', ['-R', 'u=rwX,go=rX', folder]).catch((error: unknown) => {
    if (!(error instanceof CommandFailed)) throw error;
  });
}

function ignoreMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return null;
}
