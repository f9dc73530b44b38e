import type { NatsServer } from '@proctor/administration';
import { publicKeyOf } from '@proctor/bus';
import type { Configuration } from '@proctor/config';
import { openDatabase, UnknownUser } from '@proctor/database';
import { ADMINISTRATOR } from '../arguments';

/**
 * Registers the worker of this machine for all its architectures and for private tests, unless it was revoked.
 * nats-server accepts only registered workers.
 * @returns whether the worker may work, and a notice for people; null if there is nothing to say
 */
export async function registerOwnWorker(
  databaseUrl: string,
  nats: NatsServer,
  { worker, server }: Pick<Configuration, 'worker' | 'server'>,
): Promise<{ isRegistered: boolean; notice: string | null }> {
  const { name } = worker;
  const publicKey = publicKeyOf(await nats.users.read(name));
  const isDetected = worker.architectures.includes('detected');
  const architectures = isDetected ? server.architectures : worker.architectures;
  const database = await openDatabase(databaseUrl);
  try {
    const admin = await database.users.find(ADMINISTRATOR);
    if (!admin) throw new UnknownUser(ADMINISTRATOR);
    const by = { userId: admin.userId, userName: admin.name };
    const registration = { name, publicKey, architectures, mayRunPrivate: true };
    const isRegistered = await database.workerRegister.saveWorker(registration, by);
    const advice = await database.workerRegister.applyAccounts((workers) => nats.grantAccess(workers));
    const revoked = `worker ${name} is revoked and is not started, until it is added again`;
    return { isRegistered, notice: isRegistered ? advice : revoked };
  } finally {
    await database.close();
  }
}
