import { Module } from '@nestjs/common';
import type { DynamicModule, MiddlewareConsumer, NestModule, Provider } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { USE_CASES } from '@proctor/administration';
import { systemClock } from '@proctor/clock';
import { ApiKeys, Results } from '@proctor/database';
import { AdminController } from './admin/admin.controller';
import { RegisterController } from './admin/register.controller';
import { ADMINISTRATION_PORTS } from './administration-ports';
import { AuthenticationMiddleware } from './auth/authentication.middleware';
import { GuessLimit } from './auth/guess-limit';
import { KeyCheck } from './auth/key-check';
import { PasswordCheck } from './auth/password-check';
import { RememberedKeys } from './auth/remembered-keys';
import { AuthController } from './auth/requestor';
import { CONFIGURATION, CONFIGURATION_STATUS, fixedStatus } from './configuration.token';
import type { ApiConfiguration } from './configuration.token';
import { DispatcherClient } from './dispatchers/dispatcher-client';
import { ExplanationService } from './dispatchers/explanation.service';
import { OrderSignal } from './dispatchers/order-signal';
import { HealthController } from './health.controller';
import { AnonymousPlaces } from './http/anonymous-places';
import { BodyMemoryLimit } from './http/body-memory-limit';
import { postOnly } from './http/paths';
import { PROBLEM_PAGE, ProblemFilter } from './http/problem.filter';
import type { ProblemPage } from './http/problem.filter';
import { AnonymousRateLimit, KnownRateLimit } from './http/rate-limit';
import { KeysController } from './keys/keys.controller';
import { KeysService } from './keys/keys.service';
import { DocumentController } from './pages/api-doc.controller';
import { HomeService } from './pages/home.service';
import { PackagesController } from './pages/packages.controller';
import { Templates } from './pages/page';
import { PagesController } from './pages/pages.controller';
import { RetryPageController } from './pages/retry-page.controller';
import { RunPageService } from './pages/run-page.service';
import { StatusPagesController } from './pages/status-pages.controller';
import { FeedsController } from './public-data/feeds.controller';
import { PackageDataController } from './public-data/package-data.controller';
import { PublicCache } from './public-data/public-cache';
import { PublicRunsService } from './public-data/public-runs.service';
import { RunFilesController } from './public-data/run-files.controller';
import { StatusDataController } from './public-data/status-data.controller';
import { StatusService } from './public-data/status.service';
import { QueuesController } from './queues/queues.controller';
import { QueuesService } from './queues/queues.service';
import { WorkersService } from './queues/workers.service';
import { CancellationService } from './runs/cancellation.service';
import { ChangesController } from './runs/changes.controller';
import { ManyRunsService } from './runs/many-runs.service';
import { OwnBackends } from './runs/own-backends';
import { PublicationService } from './runs/publication.service';
import { ResultLongPoll } from './runs/result-long-poll';
import { ResultsController } from './runs/results.controller';
import { ResultsService } from './runs/results.service';
import { RetryService } from './runs/retry.service';
import { SubmissionController } from './runs/submission.controller';
import { NewRuns, SubmissionService } from './runs/submission.service';

/** Fixed paths come before those with a parameter in their place. */
const CONTROLLERS = [
  HealthController,
  AuthController,
  QueuesController,
  KeysController,
  RetryPageController,
  AdminController,
  RegisterController,
  ChangesController,
  ResultsController,
  SubmissionController,
  DocumentController,
  RunFilesController,
  PackageDataController,
  StatusDataController,
  FeedsController,
  PagesController,
  PackagesController,
  StatusPagesController,
];

const PROVIDERS: Provider[] = [
  {
    provide: RememberedKeys,
    inject: [ApiKeys, CONFIGURATION, DispatcherClient],
    useFactory: (keys: ApiKeys, configuration: ApiConfiguration, dispatchers: DispatcherClient) =>
      new RememberedKeys(keys, configuration, dispatchers, systemClock),
  },
  KeyCheck,
  PasswordCheck,
  GuessLimit,
  KnownRateLimit,
  AnonymousRateLimit,
  AnonymousPlaces,
  BodyMemoryLimit,
  NewRuns,
  OwnBackends,
  SubmissionService,
  RetryService,
  CancellationService,
  PublicationService,
  ManyRunsService,
  ...USE_CASES,
  ...ADMINISTRATION_PORTS,
  OrderSignal,
  QueuesService,
  WorkersService,
  KeysService,
  ResultsService,
  {
    provide: ResultLongPoll,
    inject: [Results, DispatcherClient],
    useFactory: (results: Results, dispatchers: DispatcherClient) =>
      new ResultLongPoll(results, systemClock, dispatchers),
  },
  ExplanationService,
  PublicCache,
  PublicRunsService,
  StatusService,
  HomeService,
  RunPageService,
  Templates,
  {
    provide: PROBLEM_PAGE,
    inject: [Templates],
    useFactory:
      (templates: Templates): ProblemPage =>
      (problem) =>
        templates.render('problem', { problem }),
  },
  { provide: APP_FILTER, useClass: ProblemFilter },
];

/**
 * Everything that answers HTTP. The stores of @proctor/database, `ResultStore`, `DispatcherClient` and `NatsAccess` come from
 * global modules beside it.
 */
@Module({})
export class ApiModule implements NestModule {
  static forRoot(configuration: ApiConfiguration, status = fixedStatus()): DynamicModule {
    return {
      module: ApiModule,
      controllers: CONTROLLERS,
      providers: [
        ...PROVIDERS,
        { provide: CONFIGURATION, useValue: configuration },
        { provide: CONFIGURATION_STATUS, useValue: status },
      ],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    // Monitoring is answered while other clients ask for too much.
    consumer.apply(AuthenticationMiddleware).exclude('health').forRoutes('{*path}');
    const paths = ['batch', 'publish', 'cancel', 'priority'].map((name) => `api/v1/test/${name}`);
    consumer.apply(postOnly).forRoutes(...paths);
  }
}
