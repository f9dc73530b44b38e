import { chmod, mkdir, stat } from 'node:fs/promises';
import { runCommand } from './command';
import type { SystemUser } from './command';

/**
 * Makes a folder, if it is not there, that `user` owns (null: the user who made it) with exactly this mode, whatever the
 * umask. What lies in it follows when it belonged to another user, as when the machine gets a user postgres later.
 */
export async function ownedFolder(path: string, mode: number, user: SystemUser | null): Promise<void> {
  await mkdir(path, { recursive: true, mode });
  await chmod(path, mode);
  if (user && (await stat(path)).uid !== user.uid) {
    await runCommand('chown', ['-R', `${user.uid}:${user.gid}`, path]);
  }
}
