import { readFile, writeFile } from 'node:fs/promises';
import {
  BadCredentials,
  newCredentials,
  parseCredentials,
  publicKeyOf,
  type Credentials,
} from '@proctor/bus';
import type { Configuration } from '@proctor/config';
import { openDatabase, UnknownUser } from '@proctor/database';
import type { Home } from '@proctor/embedded';
import { ADMINISTRATOR } from './administrator';

/**
 * Makes the worker of this machine one that may work, unless it was revoked: for all architectures that it serves, private
 * tests included. Its credentials are kept in the home.
 * @returns what people should know; null: nothing
 */
export async function registerOwnWorker(
  urls: { databaseUrl: string; natsUrl: string },
  { worker, server }: Pick<Configuration, 'worker' | 'server'>,
  home: Home,
): Promise<string | null> {
  const { name } = worker;
  const publicKey = await keptKey(home.workerCredentials, name, urls.natsUrl);
  const isDetected = worker.architectures.includes('detected');
  const architectures = isDetected ? server.architectures : worker.architectures;
  const database = await openDatabase(urls.databaseUrl);
  try {
    const admin = await database.users.find(ADMINISTRATOR);
    if (!admin) throw new UnknownUser(ADMINISTRATOR);
    const by = { userId: admin.userId, userName: admin.name };
    const registration = { name, publicKey, architectures, mayRunPrivate: true };
    const isRegistered = await database.workerRegister.put(registration, by);
    return isRegistered ? null : `worker ${name} is revoked and gets no work, until it is added again`;
  } finally {
    await database.close();
  }
}

/** The key stays the same, the address need not. */
async function keptKey(path: string, name: string, natsUrl: string): Promise<string> {
  const { protocol, host } = new URL(natsUrl);
  const made = newCredentials(name, `${protocol}//${host}`).credentials;
  const kept = await keptCredentials(path);
  const credentials = kept?.name === name ? { ...made, seed: kept.seed } : made;
  await writeFile(path, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  return publicKeyOf(credentials);
}

/** Null when there are none, or none that are whole. */
async function keptCredentials(path: string): Promise<Credentials | null> {
  try {
    return parseCredentials(await readFile(path, 'utf8'), path);
  } catch (error) {
    if (error instanceof BadCredentials || (error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
