import { EmbeddedPostgres, type Home, HomeLock } from '@proctor/embedded';
import { databaseUrl } from '../own-servers';

/**
 * Calls `work` with the database of the service: PROCTOR_DATABASE_URL, else that of the Proctor that runs on the home.
 * If none runs there, its PostgreSQL runs only during `work`.
 * @throws HomeInUse if a Proctor starts on the home in between
 */
export async function withServiceDatabase<T>(home: Home, work: (url: string) => Promise<T>): Promise<T> {
  if (process.env['PROCTOR_DATABASE_URL'] || (await HomeLock.holder(home.lock)))
    return work(await databaseUrl());
  return withStoppedHome(home, () => withServer(serverIn(home.postgresql, home), work));
}

/** Calls `work` while no Proctor can start on the home. @throws HomeInUse if one is running */
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
 * Calls `work` with a new database in its own folder; no Proctor may run on the home. First deletes what an earlier
 * call left there when it was killed. If `work` fails, deletes the new database.
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
