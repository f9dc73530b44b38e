import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import type { Connections, LiveConfiguration } from '@proctor/config';
import { DatabaseModule } from '@proctor/database';
import { StoreModule } from '@proctor/store';
import { ApiModule } from './api.module';
import { DispatcherLineModule } from './dispatchers/dispatcher-client.module';

/** The api as it runs: with PostgreSQL, NATS and the store. */
@Module({})
export class AppModule {
  static forRoot(configuration: LiveConfiguration, connections: Connections): DynamicModule {
    return {
      module: AppModule,
      imports: [
        DatabaseModule.forReaders(connections.databaseUrl),
        StoreModule.forRoot(configuration.store, () => connections.storeCredentials),
        DispatcherLineModule.forRoot(connections.natsCredentials),
        ApiModule.forRoot(configuration, () => configuration.status),
      ],
    };
  }
}
