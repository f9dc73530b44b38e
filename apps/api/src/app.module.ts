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
import { addressesIn, OWN_SERVICES, type OwnServices } from './webhooks/webhook-url';

/** The addresses of the deployment that this process knows. No webhook may lead to them. */
@Module({})
class OwnServicesModule {
  /** @param nats resolves with the addresses of NATS when its credentials were read */
  static forRoot(
    configuration: LiveConfiguration,
    { databaseUrl }: Connections,
    nats: () => string | undefined,
  ): DynamicModule {
    const ownServices: OwnServices = () => {
      const { host, port, publicUrl } = configuration.server;
      const { store } = configuration;
      const endpoint = store.kind === 's3' ? store.endpoint : undefined;
      const own = new URL('http://localhost');
      own.hostname = host;
      own.port = String(port);
      const urls = [own.href, databaseUrl, publicUrl, endpoint, nats()];
      return new Set(urls.flatMap((url) => (url === undefined ? [] : addressesIn(url))));
    };
    return {
      module: OwnServicesModule,
      global: true,
      providers: [{ provide: OWN_SERVICES, useValue: ownServices }],
      exports: [OWN_SERVICES],
    };
  }
}

/** The connection to the dispatchers over NATS, and the accounts of nats-server if this process can change them. */
@Module({})
class DispatchersModule {
  /** @param connecting called with the URL of the credentials */
  static forRoot(credentialsFile: string, connecting: (url: string) => void): DynamicModule {
    const connect = async () => {
      const credentials = await readCredentials(credentialsFile);
      connecting(credentials.url);
      return connectBus(credentials);
    };
    const useFactory = (): DispatcherClient => new DispatcherClient(connect, systemClock);
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
    let natsUrl: string | undefined;
    return {
      module: AppModule,
      imports: [
        DatabaseModule.forReaders(connections.databaseUrl),
        StoreModule.forRoot(configuration.store, () => connections.storeCredentials),
        DispatchersModule.forRoot(connections.natsCredentials, (url) => (natsUrl = url)),
        OwnServicesModule.forRoot(configuration, connections, () => natsUrl),
        ApiModule.forRoot(
          configuration,
          () => configuration.settings,
          () => configuration.status,
        ),
      ],
    };
  }
}
