import { chmod, chown, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { COMMAND_LINE, type OpenDatabase, type UserRecord, type Users } from '@proctor/database';
import type { Home } from '@proctor/embedded';
import { ADMINISTRATOR } from '../arguments';
import { EXIT, Failure } from '../failure';
import { printNotice } from '../output/print';
import { closedHome, HOW_TO_NAME_ONE } from './address';

const USERS_AT_A_TIME = 500;

/**
 * Returns the key that the commands of this machine use for its service: the saved key if it is valid, else a new one.
 * @throws Failure if no administrator exists who could own the key, or it could not be saved
 */
export async function machineKey(database: OpenDatabase, home: Home, saved: string | null): Promise<string> {
  const { users, apiKeys } = database;
  if (saved !== null && (await apiKeys.authenticate(saved)) !== null) return saved;
  const name = await findAdministrator(users);
  if (name === null) {
    const advice = `create one: proctor user add ${ADMINISTRATOR} --admin; or ${HOW_TO_NAME_ONE}`;
    throw new Failure('there is no administrator yet who could own a key', EXIT.key, advice);
  }
  // The file is written first, so that no key is created that cannot be saved.
  await saveKey(home, '');
  const { key } = await apiKeys.create(name, `commands on ${hostname()}`, COMMAND_LINE);
  await saveKey(home, key);
  printNotice(`created a key of ${name} for the commands of this machine; it is in ${home.adminKey}`);
  return key;
}

/** The name of an active administrator: `admin` if possible, else the first by name; null if there is none. */
export async function findAdministrator(users: Users): Promise<string | null> {
  const mayAct = (user: UserRecord | null): boolean => user?.standing === 'active' && user.isAdmin;
  if (mayAct(await users.record(ADMINISTRATOR))) return ADMINISTRATOR;
  for (let after = ''; ;) {
    const part = await users.list('', USERS_AT_A_TIME, after);
    const administrator = part.find(mayAct);
    const last = part.at(-1);
    if (administrator || !last) return administrator?.name ?? null;
    after = last.name;
  }
}

/** Writes the key for the user of the services, who owns the home, even if root types the command. */
async function saveKey(home: Home, key: string): Promise<void> {
  try {
    await writeFile(home.adminKey, `${key}\n`, { mode: 0o600 });
    await chmod(home.adminKey, 0o600);
    const { uid, gid } = await stat(home.path);
    if (process.getuid?.() === 0) await chown(home.adminKey, uid, gid);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM') throw closedHome(home.path, error);
    throw error;
  }
}
