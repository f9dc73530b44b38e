import { access, constants, mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { NatsUsers, WorkerUser } from '@proctor/bus';
import { changeAccounts, Home, replaceFile } from '@proctor/embedded';
import { NoNatsAccess, type NatsServer } from './ports';

const RELOAD_TIMEOUT_MS = 2_000;
/** The command is repeated, as in reloadServers: see there. */
const RELOAD_BY_HAND = 'nats-server --signal reload; sleep 2; nats-server --signal reload';

/** Loads the bus only where it is needed: a command that only reads starts sooner without it. */
const bus = () => import('@proctor/bus');

/** The nats-server that `npm start` runs. */
export async function ownNats(home: Home): Promise<NatsServer> {
  const { NatsUsers } = await bus();
  const users = new NatsUsers(home.natsUsers);
  const grantAccess = async (workers: WorkerUser[]): Promise<null> => {
    await changeAccounts(home.nats, await users.accountsText(workers));
    return null;
  };
  return { users, grantAccess, requireAccess: () => requireFile(join(home.nats, 'accounts.conf')) };
}

/**
 * A nats-server that runs elsewhere: `PROCTOR_NATS_USERS` is the folder of the credentials, `PROCTOR_NATS_ACCOUNTS`
 * the file that its configuration includes, by default in the same folder.
 */
export async function namedNats(env: NodeJS.ProcessEnv): Promise<NatsServer> {
  const { NatsUsers } = await bus();
  const users = new NatsUsers(env['PROCTOR_NATS_USERS'] ?? '');
  const file = env['PROCTOR_NATS_ACCOUNTS'] || join(users.folder, 'accounts.conf');
  const grantAccess = async (workers: WorkerUser[]): Promise<string | null> => {
    await mkdir(dirname(file), { recursive: true });
    await replaceFile(file, await users.accountsText(workers), 0o644);
    return reload(users, file);
  };
  return { users, grantAccess, requireAccess: () => requireFile(file) };
}

/**
 * The nats-server of a service: that of `PROCTOR_NATS_USERS`; or, if the service has credentials of `PROCTOR_HOME`,
 * the one that `npm start` runs there.
 * @throws NoNatsAccess if it is neither
 */
export async function natsOfService(env: NodeJS.ProcessEnv, credentialsFile: string): Promise<NatsServer> {
  if (env['PROCTOR_NATS_USERS']) return namedNats(env);
  const home = env['PROCTOR_HOME'] ? new Home(resolve(env['PROCTOR_HOME'])) : null;
  if (home && dirname(resolve(credentialsFile)) === home.natsUsers) return ownNats(home);
  throw new NoNatsAccess('PROCTOR_NATS_USERS is not set');
}

/** Checks that the file exists: a new file that no server reads would let no user in. */
async function requireFile(file: string): Promise<void> {
  try {
    await access(file, constants.R_OK);
    await access(dirname(file), constants.W_OK);
  } catch (error) {
    throw new NoNatsAccess((error as Error).message, { cause: error });
  }
}

/** @returns advice with the command to type, if a server refuses or none answers; null if the accounts are in use */
async function reload(users: NatsUsers, file: string): Promise<string | null> {
  let cause = 'it is older than 2.10';
  try {
    const { reloadServers } = await bus();
    const { reloaded, refusal } = await reloadServers(await users.read('system'), RELOAD_TIMEOUT_MS);
    if (reloaded > 0 && refusal === null) return null;
    if (refusal !== null) cause = refusal;
  } catch (error) {
    cause = (error as Error).message;
  }
  return `${file} was written, and nats-server did not read it again (${cause}). On its machine, type:\n  ${RELOAD_BY_HAND}`;
}
