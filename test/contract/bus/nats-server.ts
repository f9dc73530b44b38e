import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { connectBus, type Bus, type BusLimits } from '@proctor/bus';
import { EmbeddedNats, freePort } from '@proctor/embedded';
import type { BusServer } from './server';

/** The address of the harness's nats-server. */
export function testNatsUrl(): string {
  return required('PROCTOR_TEST_NATS_URL');
}

export function startNatsClients(limits: Partial<BusLimits>): Promise<BusServer> {
  return Promise.resolve(clientsOf(testNatsUrl(), limits));
}

/** With a nats-server that no other test uses. */
export async function startOwnNats(limits: Partial<BusLimits>): Promise<BusServer> {
  const { nats, remove } = await ownNats();
  const clients = clientsOf(nats.url, limits);
  return {
    ...clients,
    close: async () => {
      await clients.close();
      await remove();
    },
  };
}

/** A nats-server that no other test uses, started, with its files in a folder of its own. */
export async function ownNats(): Promise<{
  nats: EmbeddedNats;
  folder: string;
  remove: () => Promise<void>;
}> {
  const folder = join(required('PROCTOR_TEST_FOLDER'), `bus-${randomUUID()}`);
  const nats = new EmbeddedNats({
    folder,
    binary: required('PROCTOR_TEST_NATS_SERVER'),
    passwordFile: `${folder}.password`,
    port: await freePort(),
  });
  await nats.start();
  const remove = async () => {
    await nats.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { nats, folder, remove };
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: the global setup does`);
  return value;
}

function clientsOf(url: string, limits: Partial<BusLimits>): BusServer {
  const buses: Bus[] = [];
  return {
    connect: async () => {
      const bus = await connectBus(url, 'contract-test', limits);
      buses.push(bus);
      return bus;
    },
    kill: (bus) => (Reflect.get(bus, 'nc') as { close(): Promise<void> }).close(),
    close: async () => void (await Promise.all(buses.map((bus) => bus.close()))),
  };
}
