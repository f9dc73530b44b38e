import { EmbeddedPostgres, type Home, HomeLock } from '@proctor/embedded';
import { databaseUrl } from '../home-database';

/**
 * Works on the database of the service, whether it runs or not: that of a home that does not run is started for the time.
 * @throws HomeInUse when the home has begun to run meanwhile
 */
export async function withServiceDatabase<T>(home: Home, work: (url: string) => Promise<T>): Promise<T> {
  if (process.env['PROCTOR_DATABASE_URL'] || (await HomeLock.holder(home.lock)))
    return work(await databaseUrl());
  return withStoppedHome(home, () => withHomeDatabase(home, work));
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

/** The database that `PROCTOR_DATABASE_URL` names, else that of a home that does not run, which is started for the time. */
export async function withHomeDatabase<T>(home: Home, work: (url: string) => Promise<T>): Promise<T> {
  const named = process.env['PROCTOR_DATABASE_URL'];
  if (named) return work(named);
  const postgres = new EmbeddedPostgres({ folder: home.postgresql, passwordFile: home.secret('postgres') });
  await postgres.start();
  try {
    return await work(postgres.url);
  } finally {
    await postgres.stop();
  }
}
