import { connectBus, type Bus, type BusLimits } from '@proctor/bus';
import type { BusServer } from './server';

/** The address of the harness's nats-server. */
export function testNatsUrl(): string {
  const url = process.env['PROCTOR_TEST_NATS_URL'];
  if (!url) throw new Error('PROCTOR_TEST_NATS_URL names no nats-server');
  return url;
}

export function startNatsClients(limits: Partial<BusLimits>): Promise<BusServer> {
  const buses: Bus[] = [];
  return Promise.resolve({
    connect: async () => {
      const bus = await connectBus(testNatsUrl(), 'contract-test', limits);
      buses.push(bus);
      return bus;
    },
    kill: (bus) => (Reflect.get(bus, 'nc') as { close(): Promise<void> }).close(),
    close: async () => void (await Promise.all(buses.map((bus) => bus.close()))),
  });
}
