import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { CommandFailed, runCommand, type SystemUser } from './command';

/** PostgreSQL refuses to run as root, and nats-server needs no rights: root hands both to the first of these. */
const CANDIDATES = ['postgres', 'nobody'];

/** The user that the servers run as; null when that is ourselves, since we are not root. */
export async function serverUser(): Promise<SystemUser | null> {
  if (process.getuid?.() !== 0) return null;
  const passwd = await readFile('/etc/passwd', 'utf8');
  const user = pickUser(passwd);
  if (!user)
    throw new Error(`/etc/passwd has none of the users ${CANDIDATES.join(', ')} to run PostgreSQL as`);
  return user;
}

/** PostgreSQL asks for the name of the user that it runs as. @throws with what to type when there is none */
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

/** The first candidate that a passwd(5) text has. */
export function pickUser(passwd: string): SystemUser | null {
  const rows = passwd.split('\n').map((line) => line.split(':'));
  for (const name of CANDIDATES) {
    const row = rows.find(([found]) => found === name);
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

/** Whether `user` could reach a folder made at `path`: its nearest existing ancestor can be entered. */
export async function mayReach(user: SystemUser, path: string): Promise<boolean> {
  let existing = path;
  while (!existsSync(existing)) existing = dirname(existing);
  return mayExecute(user, existing);
}
