import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Bus, BusStrategy } from '@proctor/bus';
import { MemoryBroker, MemoryBus } from '@test/support/memory-bus';
import type { Connections, WorkerConfiguration } from '@proctor/config';
import { MonitoringServer } from '@proctor/monitoring';
import { silenceLog } from '@test/support/silent-log';
import { WorkerLife } from './life/life';
import { Worker } from './life/worker';
import type { Machine } from './machine/machine';
import { WorkerModule } from './worker.module';

let folder: string;

silenceLog();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'worker-module-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A worker without backends on a machine that can do nothing. */
async function makeApplication() {
  const steps: string[] = [];
  const bus = new MemoryBus(new MemoryBroker());
  const machine = {
    architectures: ['amd64'],
    sandboxes: {
      limits: 'no limits',
      removeLeftovers: () => Promise.resolve(steps.push('clean up')).then(() => []),
    },
  } as unknown as Machine;
  const worker = { name: 'w1', workPath: folder, slots: 1, backends: [], variants: {}, sizeClasses: [] };
  const metrics = { host: '127.0.0.1', port: 0 };
  const module = await Test.createTestingModule({
    imports: [
      WorkerModule.forRoot(
        {
          configuration: { worker: { ...worker, metrics } as unknown as WorkerConfiguration },
          machine,
          life: await WorkerLife.start(folder, new Logger('Life')),
        },
        { natsCredentials: '' } as Connections,
      ),
    ],
  })
    .overrideProvider(Bus)
    .useValue(bus)
    .compile();
  const strategy = module.get(BusStrategy);
  const app = module.createNestMicroservice({ strategy, logger: false });
  const note = (what: string, on: object, method: string) => {
    const methods = on as Record<string, () => Promise<unknown>>;
    const before = methods[method]!.bind(on);
    methods[method] = (...parameters: []) => (steps.push(what), before(...parameters));
  };
  note('serve health', module.get(MonitoringServer), 'onModuleInit');
  note('receive signals', strategy, 'serveWorker');
  note('hand leases back', module.get(Worker), 'onModuleDestroy');
  note('end health', module.get(MonitoringServer), 'beforeApplicationShutdown');
  note('receive nothing', strategy, 'beforeApplicationShutdown');
  note('disconnect', bus, 'close');
  return { app, steps };
}

it('a worker begins when the machine is clean, and is cut off when its leases went back', async () => {
  const { app, steps } = await makeApplication();
  await app.listen();
  expect(steps).toEqual(['clean up', 'serve health', 'receive signals']);
  await app.close();
  expect(steps.slice(3)).toEqual(['hand leases back', 'end health', 'receive nothing', 'disconnect']);
});
