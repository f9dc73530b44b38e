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
 * The key with which the commands of this machine speak to its service: the saved one when it is valid, else a new one.
 * @throws Failure when there is no administrator yet whose key it could be, or it could not be saved
 */
export async function machineKey(database: OpenDatabase, home: Home, saved: string | null): Promise<string> {
  const { users, apiKeys } = database;
  if (saved !== null && (await apiKeys.authenticate(saved)) !== null) return saved;
  const name = await findAdministrator(users);
  if (name === null) {
    const advice = `make one: proctor user add ${ADMINISTRATOR} --admin; or ${HOW_TO_NAME_ONE}`;
    throw new Failure('there is no administrator yet, to make a key for', EXIT.key, advice);
  }
  // A key is only made once the file can be written.
  await saveKey(home, '');
  const { key } = await apiKeys.create(name, `commands on ${hostname()}`, COMMAND_LINE);
  await saveKey(home, key);
  printNotice(`made a key of ${name} for the commands of this machine; it is in ${home.adminKey}`);
  return key;
}

/** The name of an administrator who may act: `admin` if possible, else the first by name; null: none. */
export async function findAdministrator(users: Users): Promise<string | null> {
  const mayAct = (user: UserRecord | null): boolean => user?.standing === 'active' && user.isAdmin;
  if (mayAct(await users.record(ADMINISTRATOR))) return ADMINISTRATOR;
  for (let after = ''; ;) {
    const part = await users.list('', USERS_AT_A_TIME, after);
    const found = part.find(mayAct);
    const last = part.at(-1);
    if (found || !last) return found?.name ?? null;
    after = last.name;
  }
}

/** For the user of the services, whose home it is, also when root types. */
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
