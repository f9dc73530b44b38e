import { readFile } from 'node:fs/promises';
import { Home, HomeLock } from '@proctor/embedded';
import { EXIT, Failure } from '../failure';
import { projectFolder } from '../project';
import { closedHome, HOW_TO_NAME_ONE, readServiceUrl, type ServiceAddress } from './address';

/**
 * The service of this machine: the one that uses the database of the environment, else the Proctor that runs on the
 * home. Its key is in the home, and is created in the database if it is missing.
 * @throws Failure if the machine has no service, or its database no administrator
 */
export async function ownService(env: NodeJS.ProcessEnv): Promise<ServiceAddress> {
  const home = await Home.findHome(env, projectFolder());
  const [url, place] = env['PROCTOR_DATABASE_URL'] ? await urlBesideDatabase(env) : await urlOfHome(home);
  const givenKey = env['PROCTOR_API_KEY'];
  if (givenKey) return { url, key: givenKey, origin: `${place} and PROCTOR_API_KEY` };
  const savedKey = await readKey(home.adminKey);
  const isTrusted = savedKey !== null && !env['PROCTOR_DATABASE_URL'];
  const key = isTrusted ? savedKey : await keyInDatabase(home, savedKey);
  return { url, key, origin: `${place} and ${home.adminKey}`, keyFile: home.adminKey };
}

async function urlBesideDatabase(env: NodeJS.ProcessEnv): Promise<[url: string, place: string]> {
  const url = env['PROCTOR_URL'];
  if (url) return [readServiceUrl(url, 'PROCTOR_URL'), 'PROCTOR_URL'];
  const [{ readConfiguration }, { serviceUrl }] = await Promise.all([
    import('../configuration'),
    import('../start/welcome'),
  ]);
  return [serviceUrl((await readConfiguration()).server), 'proctor.yaml'];
}

async function urlOfHome(home: Home): Promise<[url: string, place: string]> {
  const holder = await HomeLock.holder(home.lock).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EACCES') throw closedHome(home.path, error);
    throw error;
  });
  if (holder !== null) return [holder.url, home.path];
  throw new Failure(
    `no service is named, and Proctor does not run on ${home.path}`,
    EXIT.tryLater,
    `start it (npm start), or ${HOW_TO_NAME_ONE}`,
  );
}

/** Loading the code of the database takes longer than a request, so it is loaded only if the home has no usable key. */
async function keyInDatabase(home: Home, savedKey: string | null): Promise<string> {
  const [{ withDatabase }, { machineKey }] = await Promise.all([
    import('../own-servers'),
    import('./machine-key'),
  ]);
  return withDatabase((database) => machineKey(database, home, savedKey));
}

/** @returns null if there is no key @throws Failure if the home belongs to another user */
async function readKey(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim() || null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    if (code === 'EACCES') throw closedHome(path, error);
    throw error;
  }
}
