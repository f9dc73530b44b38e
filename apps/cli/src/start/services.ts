import { namedNats, type NatsServer, ownNats } from '@proctor/administration';
import { BadCredentials } from '@proctor/bus';
import { type Configuration, connections } from '@proctor/config';
import { migrate, NoUpgrade } from '@proctor/database';
import {
  EmbeddedNats,
  EmbeddedPostgres,
  findNatsServer,
  findFreePort,
  type Home,
  replaceFile,
  type Supervisor,
} from '@proctor/embedded';
import { EXIT, Failure } from '../failure';
import { administratorAccess, type AdministratorAccess } from './administrator';
import type { Steps } from './steps';

/** PostgreSQL's error code for a wrong password. */
const INVALID_PASSWORD = '28P01';

export interface LaunchContext {
  env: NodeJS.ProcessEnv;
  home: Home;
  supervisor: Supervisor;
  steps: Steps;
}

/** Starts PostgreSQL, unless `PROCTOR_DATABASE_URL` names one, and brings its schema up to date. */
export async function startDatabase(
  context: LaunchContext,
): Promise<{ databaseUrl: string; admin: AdministratorAccess }> {
  const { home, steps, env } = context;
  const isNamed = Boolean(env['PROCTOR_DATABASE_URL']);
  const databaseUrl = isNamed ? connections(env).databaseUrl : await startPostgres(context);
  await steps.run(
    (names: string[]) =>
      names.length === 0
        ? 'database is up to date'
        : `database migrated (${names.length} migration${names.length === 1 ? '' : 's'})`,
    () =>
      migrate(databaseUrl).catch((error: unknown) => {
        if (isNamed) throw error;
        return explained(error, home);
      }),
  );
  await replaceFile(home.databaseUrl, `${databaseUrl}\n`, 0o600);
  return { databaseUrl, admin: await administratorAccess(databaseUrl, home) };
}

async function startPostgres({ home, supervisor, steps, env }: LaunchContext): Promise<string> {
  const postgres = new EmbeddedPostgres({
    folder: home.postgresql,
    passwordFile: home.secret('postgres'),
    ...port(env, 'PROCTOR_POSTGRES_PORT'),
  });
  await steps.run(
    (version: string) => `PostgreSQL ${version}`,
    async () => {
      await supervisor.start(postgres);
      return postgres.version();
    },
  );
  return postgres.url;
}

/**
 * Starts nats-server, unless `PROCTOR_NATS_USERS` names the users of one. If this machine has no patched nats-server,
 * it is fetched from Debian.
 */
export async function startNats(context: LaunchContext, { worker }: Configuration): Promise<NatsServer> {
  const { env, home } = context;
  const isNamed = Boolean(env['PROCTOR_NATS_USERS']);
  const nats = await (isNamed ? namedNats(env) : ownNats(home));
  const { port: natsPort = await findFreePort() } = port(env, 'PROCTOR_NATS_PORT');
  await ensureUsers(nats, worker.name, isNamed ? null : `nats://127.0.0.1:${natsPort}`);
  // The register decides which other users are accepted, as soon as the database is available.
  if (!isNamed) await startNatsServer(context, await nats.users.accountsText([]), natsPort);
  return nats;
}

/** @param ownUrl address of the nats-server of this home; null if it runs elsewhere */
async function ensureUsers({ users }: NatsServer, worker: string, ownUrl: string | null): Promise<void> {
  try {
    if (ownUrl !== null) await users.prepare(ownUrl);
    const { url, ca } = await users.read('api');
    await users.prepareUser(worker, url, ca);
  } catch (error) {
    if (ownUrl === null || !(error instanceof BadCredentials)) throw error;
    const advice = 'remove that file, and the next start makes a new one';
    throw new Failure(error.message, EXIT.failed, advice, { cause: error });
  }
}

/** @throws Error with advice if this version or password cannot be used with the home, else `error` itself */
function explained(error: unknown, home: Home): never {
  if (error instanceof NoUpgrade)
    throw new Error(`${error.message}: remove ${home.path}, or name another PROCTOR_HOME`, { cause: error });
  if ((error as { code?: unknown }).code !== INVALID_PASSWORD) throw error;
  throw new Error(
    `PostgreSQL in ${home.postgresql} does not accept the password of ${home.secret('postgres')}: one of them is of another home.` +
      ' Remove that file, and the next start gives both a new one',
    { cause: error },
  );
}

async function startNatsServer(
  { home, supervisor, steps }: LaunchContext,
  accounts: string,
  natsPort: number,
): Promise<void> {
  const binary = await findNatsServer(home.natsPackage, (line) => steps.printNotice(line));
  const nats = new EmbeddedNats({
    folder: home.nats,
    binary: binary.path,
    accounts,
    port: natsPort,
  });
  await steps.run(`nats-server ${binary.version}`, () => supervisor.start(nats));
}

/** The fixed port that the environment requests, else any free port. */
function port(env: NodeJS.ProcessEnv, name: string): { port?: number } {
  const text = env[name];
  if (!text) return {};
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number > 65535) {
    throw new Error(`${name}: ${JSON.stringify(text)} is not a port number from 1 to 65535`);
  }
  return { port: number };
}
