import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NatsUsers, reloadServers, type WorkerUser } from '@proctor/bus';
import { changeAccounts, Home, replaceFile } from '@proctor/embedded';
import { withDatabase } from './home-database';
import { requireRunning } from './running-services';
import { projectFolder } from './project';

const RELOAD_TIMEOUT_MS = 2_000;
/** Twice, as reloadServers does: see there. */
const RELOAD_BY_HAND = 'nats-server --signal reload; sleep 2; nats-server --signal reload';

/** The nats-server of a deployment and its users, as the machine has them that this command runs on. */
export interface Nats {
  users: NatsUsers;
  /**
   * Lets the services in and these workers, and ends all other connections at once.
   * @returns what an administrator has to do yet; null: nothing
   */
  letIn(workers: WorkerUser[]): Promise<string | null>;
}

/**
 * That of `PROCTOR_NATS_USERS`, else of the Proctor that runs on the home.
 * @throws when there is neither
 */
export async function findNats(env = process.env): Promise<Nats> {
  if (env['PROCTOR_NATS_USERS']) return namedNats(env);
  if (env['PROCTOR_DATABASE_URL']) throw new Error('PROCTOR_NATS_USERS is not set');
  const home = await Home.find(env, projectFolder());
  await requireRunning(home, 'nats-server', 'PROCTOR_NATS_USERS');
  return ownNats(home);
}

/** The nats-server that `npm start` runs. */
export function ownNats(home: Home): Nats {
  const users = new NatsUsers(home.natsUsers);
  const letIn = async (workers: WorkerUser[]): Promise<null> => {
    await changeAccounts(home.nats, await users.accountsText(workers));
    return null;
  };
  return { users, letIn };
}

/**
 * One that runs elsewhere: `PROCTOR_NATS_USERS` is the folder of the credentials, `PROCTOR_NATS_ACCOUNTS` the file that its
 * configuration includes, in the same folder when it is not set.
 */
export function namedNats(env: NodeJS.ProcessEnv): Nats {
  const users = new NatsUsers(env['PROCTOR_NATS_USERS'] ?? '');
  const file = env['PROCTOR_NATS_ACCOUNTS'] || join(users.folder, 'accounts.conf');
  const letIn = async (workers: WorkerUser[]): Promise<string | null> => {
    await mkdir(dirname(file), { recursive: true });
    await replaceFile(file, await users.accountsText(workers), 0o644);
    return reload(users, file);
  };
  return { users, letIn };
}

/**
 * Makes the users of the services, or has their files name another address, and the file of accounts, in which the registered
 * workers are added when the register can be read.
 * @throws when `PROCTOR_NATS_USERS` is not set
 */
export async function prepareNats({ url, ca }: { url: string; ca?: string }): Promise<void> {
  if (!process.env['PROCTOR_NATS_USERS'])
    throw new Error('PROCTOR_NATS_USERS is not set: it names the folder of the credentials files');
  const nats = namedNats(process.env);
  const certificate = ca === undefined ? undefined : await readFile(ca, 'utf8');
  const letIn = async (workers: WorkerUser[]): Promise<string | null> => {
    await nats.users.prepare(url, certificate);
    return nats.letIn(workers);
  };
  const hasRegister = Boolean(process.env['PROCTOR_DATABASE_URL']);
  const advice = hasRegister
    ? await withDatabase(({ workerRegister }) => workerRegister.applyAccounts(letIn))
    : await letIn([]);
  console.error(`the users of the services are in ${nats.users.folder}`);
  if (advice !== null) console.error(advice);
}

/** @returns what to type where the server cannot be told */
async function reload(users: NatsUsers, file: string): Promise<string | null> {
  let cause = 'it is older than 2.10';
  try {
    const { told, refused } = await reloadServers(await users.read('system'), RELOAD_TIMEOUT_MS);
    if (told > 0 && refused === null) return null;
    if (refused !== null) cause = refused;
  } catch (error) {
    cause = (error as Error).message;
  }
  return `${file} was written, and nats-server could not be told to read it (${cause}). On its machine, type:\n  ${RELOAD_BY_HAND}`;
}
