import { Module, type DynamicModule } from '@nestjs/common';
import { Bus, BusModule } from '@proctor/bus';
import type { Configuration, Connections } from '@proctor/config';
import { buildWorker, type BuiltWorker } from './build-worker';
import { WorkerHealth } from './health/worker-health';
import type { Life } from './life/life';
import type { Machine } from './machine/machine';
import { SignalsController } from './signals.controller';
import { Worker } from './life/worker';

/** The worker with its health, as it was built. */
const BUILT = Symbol('BUILT');

/** The wiring of the worker process: the bus is all that it connects to. */
@Module({})
export class WorkerModule {
  static forRoot(
    configuration: Configuration,
    machine: Machine,
    life: Life,
    connections: Connections,
  ): DynamicModule {
    return {
      module: WorkerModule,
      imports: [BusModule.forServing(connections.natsCredentials, { waitsForAdmission: true })],
      controllers: [SignalsController],
      providers: [
        {
          provide: BUILT,
          inject: [Bus],
          useFactory: (bus: Bus) => buildWorker(configuration, machine, bus, life),
        },
        { provide: Worker, inject: [BUILT], useFactory: ({ worker }: BuiltWorker) => worker },
        { provide: WorkerHealth, inject: [BUILT], useFactory: ({ health }: BuiltWorker) => health },
      ],
    };
  }
}
