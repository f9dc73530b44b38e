import { readFile } from 'node:fs/promises';
import { namedNats, type NatsServer, ownNats } from '@proctor/administration';
import { connections } from '@proctor/config';
import { openDatabase, type OpenDatabase } from '@proctor/database';
import { Home, HomeLock } from '@proctor/embedded';
import { projectFolder } from './project';

/** Opens the database for `work` and closes it afterwards. */
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
 * @throws Error if neither exists
 */
export async function databaseUrl(env = process.env): Promise<string> {
  // A text that is no address is refused here; PostgreSQL's client would read it as the name of a machine.
  if (env['PROCTOR_DATABASE_URL']) return connections(env).databaseUrl;
  const home = await runningHome('database', 'PROCTOR_DATABASE_URL', env);
  try {
    return (await readFile(home.databaseUrl, 'utf8')).trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES')
      throw new Error(`${home.path} belongs to another user: run this as that user`, { cause: error });
    if (code === 'ENOENT') throw notRunning(home, 'database', 'PROCTOR_DATABASE_URL');
    throw error;
  }
}

/**
 * The nats-server of `PROCTOR_NATS_USERS`, else of the Proctor that runs on the home.
 * @throws Error if neither exists
 */
export async function findNats(env = process.env): Promise<NatsServer> {
  if (env['PROCTOR_NATS_USERS']) return namedNats(env);
  if (env['PROCTOR_DATABASE_URL'])
    throw new Error('PROCTOR_NATS_USERS is not set: it names the folder of the credentials files');
  return ownNats(await runningHome('nats-server', 'PROCTOR_NATS_USERS', env));
}

/** @throws Error if no Proctor runs on the home */
async function runningHome(server: string, variable: string, env: NodeJS.ProcessEnv): Promise<Home> {
  const home = await Home.findHome(env, projectFolder());
  if (await HomeLock.holder(home.lock)) return home;
  throw notRunning(home, server, variable);
}

function notRunning(home: Home, server: string, variable: string): Error {
  return new Error(
    `Proctor does not run on ${home.path}. Start it first (npm start),` +
      ` or name its home in PROCTOR_HOME or its ${server} in ${variable}`,
  );
}
