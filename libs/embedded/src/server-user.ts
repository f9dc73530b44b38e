import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { CommandFailed, runCommand, type SystemUser } from './command';

/** PostgreSQL refuses to run as root, and nats-server needs no rights: root starts both as the first of these users. */
const CANDIDATES = ['postgres', 'nobody'];

/** The user of the servers; null: the current user, which is not root. */
export async function serverUser(): Promise<SystemUser | null> {
  if (process.getuid?.() !== 0) return null;
  const passwd = await readFile('/etc/passwd', 'utf8');
  const user = pickUser(passwd);
  if (!user)
    throw new Error(`/etc/passwd has none of the users ${CANDIDATES.join(', ')} to run PostgreSQL as`);
  return user;
}

/** PostgreSQL needs the name of its user. @throws Error with the remedy, if the user has none */
export function requireUserName(): void {
  try {
    userInfo();
  } catch (error) {
    const id = process.getuid?.();
    throw new Error(
      `this user, number ${id}, has no name on this machine, and PostgreSQL needs one. As root, type:\n  useradd --uid ${id} --no-create-home proctor\nor name a PostgreSQL of your own in PROCTOR_DATABASE_URL`,
      { cause: error },
    );
  }
}

/** The first candidate in the text of passwd(5). */
export function pickUser(passwd: string): SystemUser | null {
  const rows = passwd.split('\n').map((line) => line.split(':'));
  for (const name of CANDIDATES) {
    const row = rows.find(([user]) => user === name);
    if (row) return { name, uid: Number(row[2]), gid: Number(row[3]) };
  }
  return null;
}

/** Whether `user` may execute the file, or enter the folder, at `path`. */
export async function mayExecute(user: SystemUser, path: string): Promise<boolean> {
  try {
    await runCommand('test', ['-x', path], { user, cwd: '/' });
    return true;
  } catch (error) {
    if (error instanceof CommandFailed) return false;
    throw error;
  }
}

/** Whether `user` could reach a folder at `path`: its nearest existing parent can be entered. */
export async function mayReach(user: SystemUser, path: string): Promise<boolean> {
  let existing = path;
  while (!existsSync(existing)) existing = dirname(existing);
  return mayExecute(user, existing);
}
