import { EmbeddedPostgres, type Home, HomeLock } from '@proctor/embedded';
import { databaseUrl } from '../own-servers';

/**
 * Works on the database of the service, whether it runs or not: that of a home that does not run is started for the time.
 * @throws HomeInUse when the home has begun to run meanwhile
 */
export async function withServiceDatabase<T>(home: Home, work: (url: string) => Promise<T>): Promise<T> {
  if (process.env['PROCTOR_DATABASE_URL'] || (await HomeLock.holder(home.lock)))
    return work(await databaseUrl());
  return withStoppedHome(home, () => withServer(serverIn(home.postgresql, home), work));
}

/** No Proctor begins to run on the home meanwhile. @throws HomeInUse when one runs on it */
export async function withStoppedHome<T>(home: Home, work: () => Promise<T>): Promise<T> {
  await home.prepare();
  const lock = await HomeLock.acquire(home.lock, 'a command of proctor');
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/**
 * Works on a database that is new, in a folder of its own, for a home that does not run. What an earlier one left there, which was
 * killed, is removed before, and so is all when it fails.
 */
export async function withNewDatabase<T>(
  home: Home,
  folder: string,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const server = serverIn(folder, home);
  await server.remove();
  try {
    return await withServer(server, work);
  } catch (error) {
    await server.remove();
    throw error;
  }
}

function serverIn(folder: string, home: Home): EmbeddedPostgres {
  return new EmbeddedPostgres({ folder, passwordFile: home.secret('postgres') });
}

async function withServer<T>(server: EmbeddedPostgres, work: (url: string) => Promise<T>): Promise<T> {
  await server.start();
  try {
    return await work(server.url);
  } finally {
    await server.stop();
  }
}
