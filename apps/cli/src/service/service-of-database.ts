import { chmod, chown, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { COMMAND_LINE, type OpenDatabase } from '@proctor/database';
import type { Home } from '@proctor/embedded';
import { ADMINISTRATOR } from '../arguments';
import { readConfiguration } from '../configuration';
import { EXIT, Failure } from '../failure';
import { withDatabase } from '../home-database';
import { say } from '../output/print';
import { serviceUrl } from '../start/welcome';
import { HOW_TO_NAME_ONE, readServiceUrl, type ServiceAddress } from './address';
import { keyIn, ofAnother } from './home-key';

/** At the address that the environment or the configuration says; the home keeps the key, which is made where there is none that is valid. */
export async function serviceOfDatabase(home: Home, env: NodeJS.ProcessEnv): Promise<ServiceAddress> {
  const named = env['PROCTOR_URL'];
  const url = named ? readServiceUrl(named, 'PROCTOR_URL') : serviceUrl((await readConfiguration()).server);
  const place = named ? 'PROCTOR_URL' : 'proctor.yaml';
  const given = env['PROCTOR_API_KEY'];
  if (given) return { url, key: given, origin: `${place} and PROCTOR_API_KEY` };
  const key = await withDatabase(async (database) => {
    const kept = await keyIn(home.adminKey);
    const isValid = kept !== null && (await database.apiKeys.authenticate(kept)) !== null;
    return isValid ? kept : makeKey(database, home);
  });
  return { url, key, origin: `${place} and ${home.adminKey}` };
}

/** @throws Failure when there is no administrator yet to make it for, or it could not be kept */
async function makeKey({ users, apiKeys }: OpenDatabase, home: Home): Promise<string> {
  const admin = await users.record(ADMINISTRATOR);
  if (admin?.standing !== 'active' || !admin.isAdmin) {
    const advice = `make one (proctor user add ${ADMINISTRATOR} --admin), or ${HOW_TO_NAME_ONE}`;
    throw new Failure(
      `there is no administrator ${ADMINISTRATOR}, to make a key of for the commands of this machine`,
      EXIT.key,
      advice,
    );
  }
  // That it can be written is known before there is a key.
  await keep(home, '');
  const { key } = await apiKeys.create(ADMINISTRATOR, `commands on ${hostname()}`, COMMAND_LINE);
  await keep(home, key);
  say(`made a key of ${ADMINISTRATOR} for the commands of this machine; it is in ${home.adminKey}`);
  return key;
}

/** For the user of the services, whose home it is, also when root types. */
async function keep(home: Home, key: string): Promise<void> {
  try {
    await writeFile(home.adminKey, `${key}\n`, { mode: 0o600 });
    await chmod(home.adminKey, 0o600);
    const { uid, gid } = await stat(home.path);
    if (process.getuid?.() === 0) await chown(home.adminKey, uid, gid);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM') throw ofAnother(home.path, error);
    throw error;
  }
}
