import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  connectBus,
  parseCredentials,
  type Bus,
  type BusLimits,
  type Credentials,
  type WorkerUser,
} from '@proctor/bus';
import { EmbeddedNats, findFreePort } from '@proctor/embedded';
import { TestUsers } from '@test/support/nats-users';
import type { BusServer } from './server';

/** Credentials of the operator of the harness's nats-server. */
export function testNatsCredentials(): Credentials {
  const name = 'PROCTOR_TEST_NATS_CREDENTIALS';
  return parseCredentials(required(name), name);
}

export function startNatsClients(limits: Partial<BusLimits>): Promise<BusServer> {
  return Promise.resolve(clientsOf(testNatsCredentials(), limits));
}

/** With a nats-server that no other test uses. */
export async function startOwnNats(limits: Partial<BusLimits>): Promise<BusServer> {
  const { operator, remove } = await ownNats();
  const clients = clientsOf(operator, limits);
  return {
    ...clients,
    close: async () => {
      await clients.close();
      await remove();
    },
  };
}

/** A nats-server that no other test uses, started, with its files in a folder of its own. */
export async function ownNats(workers: Omit<WorkerUser, 'publicKey'>[] = []): Promise<{
  nats: EmbeddedNats;
  operator: Credentials;
  users: TestUsers;
  folder: string;
  remove: () => Promise<void>;
}> {
  const folder = join(required('PROCTOR_TEST_FOLDER'), `bus-${randomUUID()}`);
  const [port, users] = [await findFreePort(), new TestUsers(`${folder}-users`)];
  const nats = new EmbeddedNats({
    folder,
    binary: required('PROCTOR_TEST_NATS_SERVER'),
    accounts: await users.prepare(`nats://127.0.0.1:${port}`, workers),
    port,
  });
  await nats.start();
  const remove = async () => {
    await nats.stop();
    await rm(folder, { recursive: true, force: true });
    await rm(`${folder}-users`, { recursive: true, force: true });
  };
  return { nats, operator: await users.operator(), users, folder, remove };
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: the global setup does`);
  return value;
}

function clientsOf(credentials: Credentials, limits: Partial<BusLimits>): BusServer {
  const buses: Bus[] = [];
  return {
    connect: async () => {
      const bus = await connectBus(credentials, { limits, makesStreams: true });
      buses.push(bus);
      return bus;
    },
    kill: (bus) => (Reflect.get(bus, 'nc') as { close(): Promise<void> }).close(),
    close: async () => void (await Promise.all(buses.map((bus) => bus.close()))),
  };
}
