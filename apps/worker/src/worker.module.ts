import { Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { Bus, BusModule } from '@proctor/bus';
import { systemClock } from '@proctor/clock';
import type { Connections } from '@proctor/config';
import { ATTEMPT_PROVIDERS } from './attempt/attempt.providers';
import { CLOCK, CONFIGURATION, type WorkerProcessConfiguration } from './configuration.token';
import { HEALTH_PROVIDERS } from './health/health.providers';
import { WorkerLife } from './life/life';
import { LIFE_PROVIDERS } from './life/life.providers';
import { SignalsController } from './life/signals.controller';
import { Worker } from './life/worker';
import { MACHINE, type Machine } from './machine/machine';
import { SOURCES_PROVIDERS } from './sources/sources.providers';
import { TESTBED_PROVIDERS } from './testbed/testbed.providers';

/** The objects from which the worker is built. */
interface WorkerSurroundings {
  configuration: WorkerProcessConfiguration;
  machine: Machine;
  life: WorkerLife;
}

/**
 * The worker process; it connects only to the bus. Its providers start and stop by Nest's hooks. Init: what an earlier
 * life left is removed, then health is reported. Bootstrap: signals are received. Destroy: leases are returned and
 * attempts end. Before shutdown: health and signals end. Shutdown: the bus is closed.
 */
@Module({})
export class WorkerModule implements OnModuleInit {
  constructor(
    private readonly bus: Bus,
    private readonly worker: Worker,
  ) {}

  static forRoot(
    { configuration, machine, life }: WorkerSurroundings,
    connections: Connections,
  ): DynamicModule {
    return {
      module: WorkerModule,
      imports: [BusModule.forServing(connections.natsCredentials, { waitsForAdmission: true })],
      controllers: [SignalsController],
      providers: [
        { provide: CONFIGURATION, useValue: configuration },
        { provide: CLOCK, useValue: systemClock },
        { provide: MACHINE, useValue: machine },
        { provide: WorkerLife, useValue: life },
        ...TESTBED_PROVIDERS,
        ...ATTEMPT_PROVIDERS,
        ...LIFE_PROVIDERS,
        ...HEALTH_PROVIDERS,
        ...SOURCES_PROVIDERS,
      ],
    };
  }

  onModuleInit(): void {
    this.bus.onReconnect(() => this.worker.onReconnect());
    this.bus.onRefused(() => this.worker.onRefused());
  }
}
