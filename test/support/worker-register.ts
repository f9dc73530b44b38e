import { newCredentials, type WorkerUser } from '@proctor/bus';
import type { OpenDatabase } from '@proctor/database';

/** The public key of a worker; its private key does not exist. */
export function workerKey(): string {
  return newCredentials('w1', 'nats://127.0.0.1:4222').publicKey;
}

/** Makes each of them one that may work, private tests included. */
export async function registerWorkers(
  { users, workerRegister }: OpenDatabase,
  workers: WorkerUser[],
  by: string,
): Promise<void> {
  const { userId, name: userName } = (await users.find(by))!;
  for (const worker of workers)
    await workerRegister.add({ ...worker, mayRunPrivate: true }, { userId, userName });
}
