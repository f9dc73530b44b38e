import type { BusLimits } from '@proctor/bus';
import { MemoryBroker, MemoryBus } from '@test/support/memory-bus';
import type { BusServer } from './server';

export function startMemoryServer(limits: Partial<BusLimits>): Promise<BusServer> {
  const broker = new MemoryBroker({ limits });
  const buses: MemoryBus[] = [];
  return Promise.resolve({
    connect: () => {
      const bus = new MemoryBus(broker);
      buses.push(bus);
      return Promise.resolve(bus);
    },
    kill: (bus) => bus.close(),
    close: async () => void (await Promise.all(buses.map((bus) => bus.close()))),
  });
}
