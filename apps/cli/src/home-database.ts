import { readFile } from 'node:fs/promises';
import { openDatabase, type OpenDatabase } from '@proctor/database';
import { Home, HomeLock } from '@proctor/embedded';
import { projectFolder } from './project';

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
  const named = env['PROCTOR_DATABASE_URL'];
  if (named) return named;
  const home = await Home.find(env, projectFolder());
  if (!(await HomeLock.holder(home.lock))) throw new Error(notRunning(home));
  try {
    return (await readFile(home.databaseUrl, 'utf8')).trim();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EACCES') {
      throw new Error(`${home.path} belongs to another user: run this as that user`, { cause: error });
    }
    if (code === 'ENOENT') throw new Error(notRunning(home), { cause: error });
    throw error;
  }
}

function notRunning(home: Home): string {
  return (
    `Proctor does not run on ${home.path}. Start it first (npm start),` +
    ' or name its home in PROCTOR_HOME or its database in PROCTOR_DATABASE_URL'
  );
}
