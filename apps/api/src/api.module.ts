import {
  Module,
  type DynamicModule,
  type MiddlewareConsumer,
  type NestModule,
  type Provider,
  type Type,
  type FactoryProvider,
} from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR } from '@nestjs/core';
import { systemClock } from '@proctor/clock';
import type { Settings } from '@proctor/config';
import { ApiKeys } from '@proctor/database';
import { AdminModule } from './admin/admin.module';
import { ADMINISTRATION_PORTS } from './administration-ports';
import { AuthModule } from './auth/auth.module';
import { AuthenticationMiddleware } from './auth/authentication.middleware';
import { RememberedKeys } from './auth/remembered-keys';
import {
  CONFIGURATION,
  CONFIGURATION_STATUS,
  fixedStatus,
  SETTINGS,
  type ApiConfiguration,
} from './configuration.token';
import { DispatcherClient } from './dispatchers/dispatcher-client';
import { DispatchersModule } from './dispatchers/dispatchers.module';
import { EventsModule } from './events/events.module';
import { HealthController } from './health.controller';
import { HttpModule } from './http/http.module';
import { IgnoredParametersInterceptor } from './http/ignored-parameters';
import { postOnly } from './http/paths';
import { ProblemFilter } from './http/problem.filter';
import { KeysModule } from './keys/keys.module';
import { LogsModule } from './logs/logs.module';
import { MonitoringModule } from './monitoring/monitoring.module';
import { MailModule } from './mail/mail.module';
import { NotesModule } from './notes/notes.module';
import { AccountPagesModule } from './pages/account/account-pages.module';
import { AdminPagesModule } from './pages/admin/admin-pages.module';
import { ApiDocModule } from './pages/api-doc/api-doc.module';
import { FrontModule } from './pages/front/front.module';
import { Assets, ASSETS_PATH } from './pages/layout/assets';
import { LayoutModule } from './pages/layout/layout.module';
import { LivePagesModule } from './pages/live/live.module';
import { LogPagesModule } from './pages/log/log-pages.module';
import { MachinePagesModule } from './pages/machines/machine-pages.module';
import { NotePagesModule } from './pages/notes/note-pages.module';
import { PackagePagesModule } from './pages/packages/package-pages.module';
import { SearchModule } from './pages/search/search.module';
import { RunPagesModule } from './pages/runs/run-pages.module';
import { StatusPagesModule } from './pages/status/status-pages.module';
import { TriggerPagesModule } from './pages/triggers/trigger-pages.module';
import { PublicDataModule } from './public-data/public-data.module';
import { QueuesModule } from './queues/queues.module';
import { RunsModule } from './runs/runs.module';
import { WebhooksModule } from './webhooks/webhooks.module';
import { WorkersModule } from './workers/workers.module';
import { EventStreams } from './events/event-streams';
import { Leaving } from './http/leaving';
import { LogFollower } from './logs/log-follower';
import { LiveTopics } from './pages/live/live-topics';
import { ResultLongPoll } from './runs/result-long-poll';

/** When the process stops, all waits of clients end: long polls, events, pages and followed logs. */
const LEAVING: FactoryProvider<Leaving> = {
  provide: Leaving,
  inject: [ResultLongPoll, LiveTopics, LogFollower, EventStreams],
  useFactory: (results: ResultLongPoll, pages: LiveTopics, logs: LogFollower, events: EventStreams) =>
    new Leaving(
      [
        () => results.endWaits(),
        () => pages.endWatches(),
        () => logs.onModuleDestroy(),
        () => events.beforeApplicationShutdown(),
      ],
      systemClock,
    ),
};

/**
 * Express tries the routes in the order of this list. Fixed paths come before those with a parameter in the same
 * place, and routes with the most requests come first.
 */
export const ROOMS: Type<object>[] = [
  MonitoringModule,
  HttpModule,
  AuthModule,
  DispatchersModule,
  RunsModule,
  LogsModule,
  EventsModule,
  WebhooksModule,
  NotesModule,
  QueuesModule,
  WorkersModule,
  KeysModule,
  AdminModule,
  ApiDocModule,
  PublicDataModule,
  LivePagesModule,
  LayoutModule,
  AccountPagesModule,
  AdminPagesModule,
  LogPagesModule,
  FrontModule,
  TriggerPagesModule,
  NotePagesModule,
  MachinePagesModule,
  StatusPagesModule,
  SearchModule,
  PackagePagesModule,
  RunPagesModule,
  MailModule,
];

/** Services that connect rooms which do not import each other. */
const JOINTS: Provider[] = [
  {
    provide: RememberedKeys,
    inject: [ApiKeys, CONFIGURATION, DispatcherClient],
    useFactory: (keys: ApiKeys, configuration: ApiConfiguration, dispatchers: DispatcherClient) =>
      new RememberedKeys(keys, configuration, dispatchers, systemClock),
  },
  ...ADMINISTRATION_PORTS,
  LEAVING,
];

/**
 * All routes of the api. Global modules beside it provide the stores of @proctor/database, `ResultStore`,
 * `DispatcherClient` and `NatsAccess`.
 */
@Module({ controllers: [HealthController] })
export class ApiModule implements NestModule {
  /**
   * @param settings the configuration as administrators read it
   * @param assetFolders folders with files that pages load; the build adds its own
   */
  static forRoot(
    configuration: ApiConfiguration,
    settings: () => Settings,
    status = fixedStatus(),
    assetFolders = [ASSETS_PATH],
  ): DynamicModule {
    return {
      module: ApiModule,
      global: true,
      imports: ROOMS,
      providers: [
        ...JOINTS,
        { provide: Assets, useFactory: () => Assets.read(assetFolders) },
        { provide: CONFIGURATION, useValue: configuration },
        { provide: CONFIGURATION_STATUS, useValue: status },
        { provide: SETTINGS, useValue: settings },
        { provide: APP_FILTER, useClass: ProblemFilter },
        { provide: APP_INTERCEPTOR, useClass: IgnoredParametersInterceptor },
      ],
      exports: [...JOINTS, Assets, CONFIGURATION, CONFIGURATION_STATUS, SETTINGS],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    // Monitoring is answered even while other clients send too many requests.
    consumer.apply(AuthenticationMiddleware).exclude('health', 'health/live').forRoutes('{*path}');
    const paths = ['batch', 'publish', 'cancel', 'priority'].map((name) => `api/v1/test/${name}`);
    consumer.apply(postOnly).forRoutes(...paths);
  }
}
