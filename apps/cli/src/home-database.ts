import { connections } from '@proctor/config';
import { openDatabase, type OpenDatabase } from '@proctor/database';
import { addressOf } from './running-services';

/** Opens the database for `work` and closes it after. */
export async function withDatabase<T>(work: (database: OpenDatabase) => Promise<T>): Promise<T> {
  const database = await openDatabase(await databaseUrl());
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/**
 * `PROCTOR_DATABASE_URL`, else the database of the Proctor that runs on the home.
 * @throws when there is neither
 */
export async function databaseUrl(env = process.env): Promise<string> {
  // What is no address is called so, and not taken for the name of a machine.
  if (env['PROCTOR_DATABASE_URL']) return connections(env).databaseUrl;
  return addressOf('PROCTOR_DATABASE_URL', 'database', (home) => home.databaseUrl, env);
}
