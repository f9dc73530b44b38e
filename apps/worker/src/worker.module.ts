import { Module, type DynamicModule } from '@nestjs/common';
import { Bus, BusModule } from '@proctor/bus';
import type { Configuration, Connections } from '@proctor/config';
import { buildWorker } from './build-worker';
import type { Machine } from './machine/machine';
import { SignalsController } from './signals.controller';
import { Worker } from './worker';

/** The wiring of the worker process: the bus is all that it connects to. */
@Module({})
export class WorkerModule {
  static forRoot(configuration: Configuration, machine: Machine, connections: Connections): DynamicModule {
    return {
      module: WorkerModule,
      imports: [BusModule.forServing(connections.natsUrl, `worker-${configuration.worker.name}`)],
      controllers: [SignalsController],
      providers: [
        {
          provide: Worker,
          inject: [Bus],
          useFactory: (bus: Bus) => buildWorker(configuration, machine, bus),
        },
      ],
    };
  }
}
