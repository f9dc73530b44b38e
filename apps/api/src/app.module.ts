import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import type { Connections, LiveConfiguration } from '@proctor/config';
import { DatabaseModule } from '@proctor/database';
import { StoreModule } from '@proctor/store';
import { NatsAccess, natsOfService } from '@proctor/administration';
import { ApiNats } from './administration-ports';
import { ApiModule } from './api.module';
import { connectBus, readCredentials } from '@proctor/bus';
import { systemClock } from '@proctor/clock';
import { DispatcherClient } from './dispatchers/dispatcher-client';

/** The connection to the dispatchers, over NATS, and the accounts of nats-server, where this process can change them. */
@Module({})
class DispatchersModule {
  static forRoot(credentialsFile: string): DynamicModule {
    const useFactory = (): DispatcherClient =>
      new DispatcherClient(async () => connectBus(await readCredentials(credentialsFile)), systemClock);
    return {
      module: DispatchersModule,
      global: true,
      providers: [
        { provide: DispatcherClient, useFactory },
        { provide: NatsAccess, useValue: new ApiNats(() => natsOfService(process.env, credentialsFile)) },
      ],
      exports: [DispatcherClient, NatsAccess],
    };
  }
}

/** The api as it runs: with PostgreSQL, NATS and the store. */
@Module({})
export class AppModule {
  static forRoot(configuration: LiveConfiguration, connections: Connections): DynamicModule {
    return {
      module: AppModule,
      imports: [
        DatabaseModule.forReaders(connections.databaseUrl),
        StoreModule.forRoot(configuration.store, () => connections.storeCredentials),
        DispatchersModule.forRoot(connections.natsCredentials),
        ApiModule.forRoot(configuration, () => configuration.status),
      ],
    };
  }
}
