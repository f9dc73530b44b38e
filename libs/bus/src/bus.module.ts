import {
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationShutdown,
  Inject,
} from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core/constants.js';
import type { RequestLimits } from '@proctor/contracts';
import { Bus } from './bus';
import { BusErrorFilter } from './bus-error.filter';
import { BusStrategy } from './bus-strategy';
import { connectBus, type BusOptions } from './connect';
import { readCredentials } from './credentials';
import type { NatsBus } from './nats-bus';
import { StreamLevels } from './stream-levels';

/**
 * Nest closes its transport before it calls any hook. This one stays open until providers have stopped in
 * `onModuleDestroy`, so that the leases that they return are answered.
 */
export class LastingBusStrategy extends BusStrategy implements BeforeApplicationShutdown {
  override close(): Promise<void> {
    return Promise.resolve();
  }

  beforeApplicationShutdown(): Promise<void> {
    return super.close();
  }
}

/** One connection to the bus for the whole process; closed last, at shutdown. */
@Module({})
export class BusModule implements OnApplicationShutdown {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** Module of a process that only sends; it provides Bus. */
  static forRoot(credentialsFile: string, options: BusOptions = {}): DynamicModule {
    return {
      module: BusModule,
      global: true,
      providers: [
        { provide: Bus, useFactory: async () => connectBus(await readCredentials(credentialsFile), options) },
      ],
      exports: [Bus],
    };
  }

  /**
   * Module of a process with handlers; it provides BusStrategy and the error filter too. Create the process with
   * `NestFactory.createMicroservice(AppModule, { inject: [BusStrategy], useFactory: (strategy) => ({ strategy }) })`.
   */
  static forServing(
    credentialsFile: string,
    options: BusOptions = {},
    requestLimits?: RequestLimits,
  ): DynamicModule {
    const root = BusModule.forRoot(credentialsFile, options);
    return {
      ...root,
      providers: [
        ...(root.providers ?? []),
        {
          provide: BusStrategy,
          useFactory: (bus: Bus) => new LastingBusStrategy(bus, undefined, undefined, requestLimits),
          inject: [Bus],
        },
        { provide: StreamLevels, useFactory: (bus: NatsBus) => bus.streamLevels, inject: [Bus] },
        { provide: APP_FILTER, useClass: BusErrorFilter },
      ],
      exports: [Bus, BusStrategy, StreamLevels],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.bus.close();
  }
}
