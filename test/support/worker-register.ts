import { newCredentials } from '@proctor/bus';
import type { OpenDatabase } from '@proctor/database';

/** The public key of a worker that nobody has the other half of. */
export function workerKey(): string {
  return newCredentials('w1', 'nats://127.0.0.1:4222').publicKey;
}

/** Makes each name that of a worker which may work on these architectures, private tests included. */
export async function registerWorkers(
  { users, workerRegister }: OpenDatabase,
  names: string[],
  architectures: string[],
  by: string,
): Promise<void> {
  const { userId, name: userName } = (await users.find(by))!;
  for (const name of new Set(names)) {
    const worker = { name, publicKey: workerKey(), architectures, mayRunPrivate: true };
    await workerRegister.add(worker, { userId, userName });
  }
}
