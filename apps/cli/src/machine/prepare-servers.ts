import { readFile } from 'node:fs/promises';
import { type NatsServer, NoNatsAccess, namedNats } from '@proctor/administration';
import type { WorkerUser } from '@proctor/bus';
import { migrate } from '@proctor/database';
import type { OutputOptions } from '../output/print';
import { databaseUrl, withDatabase } from '../own-servers';

export async function migrateDatabase({ json }: OutputOptions): Promise<object> {
  const names = await migrate(await databaseUrl(), { progress: (line) => console.error(line) });
  if (!json) for (const name of names) console.log(name);
  console.error(names.length === 0 ? 'the database is up to date' : `${names.length} migrations ran`);
  return { migrations: names };
}

/**
 * Creates the credentials of the services, or changes the address in existing ones. Also writes the file of accounts,
 * with the registered workers if `PROCTOR_DATABASE_URL` names the database with their register.
 * @throws Error if `PROCTOR_NATS_USERS` is not set, or if the file of accounts exists and `PROCTOR_DATABASE_URL` is not set
 */
export async function prepareNats({ url, ca }: { url: string; ca?: string }): Promise<object> {
  if (!process.env['PROCTOR_NATS_USERS'])
    throw new Error('PROCTOR_NATS_USERS is not set: it names the folder of the credentials files');
  const nats = await namedNats(process.env);
  const certificate = ca === undefined ? undefined : await readFile(ca, 'utf8');
  const grantAccess = async (workers: WorkerUser[]): Promise<string | null> => {
    await nats.users.prepare(url, certificate);
    return nats.grantAccess(workers);
  };
  const hasRegister = Boolean(process.env['PROCTOR_DATABASE_URL']);
  if (!hasRegister && (await hasAccounts(nats)))
    throw new Error('PROCTOR_DATABASE_URL is not set: without the register no worker would be let in');
  const advice = hasRegister
    ? await withDatabase(({ workerRegister }) => workerRegister.applyAccounts(grantAccess))
    : await grantAccess([]);
  console.error(`the users of the services are in ${nats.users.folder}`);
  if (advice !== null) console.error(advice);
  return { folder: nats.users.folder, notice: advice };
}

async function hasAccounts(nats: NatsServer): Promise<boolean> {
  try {
    await nats.requireAccess();
    return true;
  } catch (error) {
    if (error instanceof NoNatsAccess) return false;
    throw error;
  }
}
