import { Module } from '@nestjs/common';
import type { DynamicModule, MiddlewareConsumer, NestModule, Provider } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR } from '@nestjs/core';
import { USE_CASES } from '@proctor/administration';
import { systemClock } from '@proctor/clock';
import type { Settings } from '@proctor/config';
import { ApiKeys, Results } from '@proctor/database';
import { AdminController } from './admin/admin.controller';
import { AuditController } from './admin/audit.controller';
import { AuditService } from './admin/audit.service';
import { RegisterController } from './admin/register.controller';
import { SettingsController } from './admin/settings.controller';
import { SettingsService } from './admin/settings.service';
import { UserLists } from './admin/user-lists.service';
import { AllKeysController } from './admin/all-keys.controller';
import { UsersController } from './admin/users.controller';
import { ADMINISTRATION_PORTS } from './administration-ports';
import { AuthenticationMiddleware } from './auth/authentication.middleware';
import { GuessLimit } from './auth/guess-limit';
import { KeyCheck } from './auth/key-check';
import { PasswordCheck } from './auth/password-check';
import { HELD_READERS } from './auth/held-readers';
import { RememberedKeys } from './auth/remembered-keys';
import { AuthController } from './auth/requestor';
import { CONFIGURATION, CONFIGURATION_STATUS, fixedStatus, SETTINGS } from './configuration.token';
import type { ApiConfiguration } from './configuration.token';
import { DispatcherClient } from './dispatchers/dispatcher-client';
import { ExplanationService } from './dispatchers/explanation.service';
import { OrderSignal } from './dispatchers/order-signal';
import { TOLD_CONTROLLERS, TOLD_PROVIDERS } from './webhooks/providers';
import { HealthController } from './health.controller';
import { AnonymousPlaces } from './http/anonymous-places';
import { HeldConnections } from './http/held-connections';
import { BodyMemoryLimit } from './http/body-memory-limit';
import { IgnoredParametersInterceptor } from './http/ignored-parameters';
import { postOnly } from './http/paths';
import { PROBLEM_PAGE, ProblemFilter } from './http/problem.filter';
import { problemView } from './pages/layout/problem-view';
import type { ProblemPage } from './http/problem.filter';
import { AnonymousRateLimit, KnownRateLimit } from './http/rate-limit';
import { ArtifactFilesController } from './logs/artifact-files.controller';
import { Indexes } from './logs/indexes';
import { FOLLOW_SETTINGS, FOLLOW_SETTINGS_TOKEN, LogFollower } from './logs/log-follower';
import { LEAVING } from './leaving.provider';
import { LogIndexController } from './logs/log-index.controller';
import { LogsController } from './logs/logs.controller';
import { RunLogs } from './logs/run-logs';
import { KeysController } from './keys/keys.controller';
import { KeysService } from './keys/keys.service';
import { ACCOUNT_CONTROLLERS, ACCOUNT_PROVIDERS } from './pages/account/providers';
import { ADMIN_PAGE_CONTROLLERS, ADMIN_PAGE_PROVIDERS } from './pages/admin/providers';
import { DocumentController } from './pages/api-doc/api-doc.controller';
import { DebciController } from './pages/debci.controller';
import { HomeService } from './pages/front/home.service';
import { HistoryController } from './pages/packages/history.controller';
import { HistoryPageService } from './pages/packages/history-page.service';
import { Failures } from './pages/packages/failures.service';
import { PackagePageService } from './pages/packages/package-page.service';
import {
  BadgeController,
  PackageNameController,
  PackagesController,
  PrefixDataController,
} from './pages/packages/packages.controller';
import { ErrorPagesController } from './pages/errors/errors.controller';
import { QueuePagesController } from './pages/machines/queues.controller';
import { WorkerPagesController } from './pages/machines/workers.controller';
import { LiveController } from './pages/live/live.controller';
import { LIVE_PROVIDERS } from './pages/live/providers';
import { AffectedByPageController } from './pages/search/affected-by-page.controller';
import { SearchController } from './pages/search/search.controller';
import { LookController } from './pages/layout/look.controller';
import { WellKnownController } from './pages/layout/well-known.controller';
import { Assets, ASSETS_PATH } from './pages/layout/assets';
import { ServiceState } from './pages/layout/service-state';
import { Templates } from './pages/layout/templates';
import { ArtifactsController } from './pages/log/artifacts.controller';
import { LogController } from './pages/log/log.controller';
import { LogPageService } from './pages/log/log-page.service';
import { PagesController } from './pages/front/pages.controller';
import { InstalledPagesController } from './pages/runs/installed.controller';
import { RunPageService } from './pages/runs/run-page.service';
import { NoteLists } from './pages/notes/note-lists.service';
import { NotesController } from './pages/notes/notes.controller';
import { MONITORING_PROVIDERS } from './monitoring/providers';
import { NotesApiController } from './notes/notes.controller';
import { NotesService } from './notes/notes.service';
import { RunTriage } from './pages/triage/run-triage.service';
import { RunsController } from './pages/runs/runs.controller';
import { TriggerDataController } from './pages/triggers/trigger-data.controller';
import { TriggerActionsController, TriggersController } from './pages/triggers/triggers.controller';
import { ListDirectory, ListsController } from './pages/status/lists.controller';
import { StatisticsController } from './pages/status/statistics.controller';
import { StatusPagesController } from './pages/status/status-pages.controller';
import { PUBLIC_DATA_CONTROLLERS } from './public-data/controllers';
import { PublicCache } from './public-data/public-cache';
import { PublicRunsService } from './public-data/public-runs.service';
import { StatusService } from './public-data/status.service';
import { QueuesController } from './queues/queues.controller';
import { QueuesService } from './queues/queues.service';
import { AffectedByController } from './runs/affected-by.controller';
import { AffectedByService } from './runs/affected-by';
import { CancellationService } from './runs/cancellation.service';
import { ChangesController } from './runs/changes.controller';
import { ComparisonService } from './runs/comparison.service';
import { InstalledController } from './runs/installed.controller';
import { InstalledPackages } from './runs/installed-packages';
import { ManyRunsService } from './runs/many-runs.service';
import { PublicationService } from './runs/publication.service';
import { ResultLongPoll } from './runs/result-long-poll';
import { ResultsController } from './runs/results.controller';
import { ResultsService } from './runs/results.service';
import { RunListController, RunListService } from './runs/run-list.controller';
import { RetryService } from './runs/retry.service';
import { SignaturesController } from './runs/signatures.controller';
import { SignaturesService } from './runs/signatures.service';
import { SubmissionController } from './runs/submission.controller';
import { SUBMISSION_PROVIDERS } from './runs/submission.providers';
import { MissingRuns } from './runs/missing-runs';
import { VisibleRuns } from './runs/visible-runs';
import { TriageController } from './runs/triage.controller';
import { TriageService } from './runs/triage.service';
import { TriggerActions } from './runs/trigger-actions.service';
import { TriggerService } from './runs/trigger.service';
import { TriggerApiController } from './runs/triggers.controller';
import { WorkersController } from './workers/workers.controller';
import { WorkersService } from './workers/workers.service';

/**
 * Fixed paths come before those with a parameter in their place. Express tries one route after the other: what is asked most comes
 * first.
 */
const CONTROLLERS = [
  HealthController,
  AuthController,
  ChangesController,
  ResultsController,
  LogsController,
  LogIndexController,
  ArtifactFilesController,
  ...TOLD_CONTROLLERS,
  RunListController,
  AffectedByController,
  TriageController,
  InstalledController,
  NotesApiController,
  TriggerApiController,
  SubmissionController,
  QueuesController,
  WorkersController,
  SignaturesController,
  KeysController,
  AdminController,
  RegisterController,
  AuditController,
  SettingsController,
  UsersController,
  AllKeysController,
  DocumentController,
  DebciController,
  ...PUBLIC_DATA_CONTROLLERS,
  LiveController,
  WellKnownController,
  LookController,
  SearchController,
  AffectedByPageController,
  BadgeController,
  HistoryController,
  ...ACCOUNT_CONTROLLERS,
  ...ADMIN_PAGE_CONTROLLERS,
  LogController,
  ArtifactsController,
  InstalledPagesController,
  PagesController,
  RunsController,
  TriggerDataController,
  TriggersController,
  TriggerActionsController,
  NotesController,
  PrefixDataController,
  PackagesController,
  ErrorPagesController,
  QueuePagesController,
  WorkerPagesController,
  StatisticsController,
  ListsController,
  StatusPagesController,
  PackageNameController,
];

const PROVIDERS: Provider[] = [
  ...MONITORING_PROVIDERS,
  {
    provide: RememberedKeys,
    inject: [ApiKeys, CONFIGURATION, DispatcherClient],
    useFactory: (keys: ApiKeys, configuration: ApiConfiguration, dispatchers: DispatcherClient) =>
      new RememberedKeys(keys, configuration, dispatchers, systemClock),
  },
  KeyCheck,
  HELD_READERS,
  PasswordCheck,
  GuessLimit,
  KnownRateLimit,
  AnonymousRateLimit,
  AnonymousPlaces,
  HeldConnections,
  BodyMemoryLimit,
  ...SUBMISSION_PROVIDERS,
  RetryService,
  CancellationService,
  PublicationService,
  ManyRunsService,
  ...USE_CASES,
  ...ADMINISTRATION_PORTS,
  OrderSignal,
  QueuesService,
  WorkersService,
  AuditService,
  SettingsService,
  UserLists,
  KeysService,
  VisibleRuns,
  MissingRuns,
  ResultsService,
  RunListService,
  TriggerService,
  TriggerActions,
  TriageService,
  SignaturesService,
  ComparisonService,
  InstalledPackages,
  AffectedByService,
  {
    provide: ResultLongPoll,
    inject: [Results, DispatcherClient],
    useFactory: (results: Results, dispatchers: DispatcherClient) =>
      new ResultLongPoll(results, systemClock, dispatchers),
  },
  ...TOLD_PROVIDERS,
  Indexes,
  RunLogs,
  LogFollower,
  { provide: FOLLOW_SETTINGS_TOKEN, useValue: FOLLOW_SETTINGS },
  ...LIVE_PROVIDERS,
  LEAVING,
  ExplanationService,
  PublicCache,
  PublicRunsService,
  StatusService,
  ListDirectory,
  HomeService,
  Failures,
  PackagePageService,
  HistoryPageService,
  RunPageService,
  RunTriage,
  NotesService,
  NoteLists,
  ...ACCOUNT_PROVIDERS,
  ...ADMIN_PAGE_PROVIDERS,
  LogPageService,
  ServiceState,
  Templates,
  {
    provide: PROBLEM_PAGE,
    inject: [Templates],
    useFactory:
      (templates: Templates): ProblemPage =>
      (problem, request) =>
        templates.render('layout/problem', problemView(problem, request)),
  },
  { provide: APP_FILTER, useClass: ProblemFilter },
  { provide: APP_INTERCEPTOR, useClass: IgnoredParametersInterceptor },
];

/**
 * Everything that answers HTTP. The stores of @proctor/database, `ResultStore`, `DispatcherClient` and `NatsAccess` come from
 * global modules beside it.
 */
@Module({})
export class ApiModule implements NestModule {
  /**
   * @param settings what administrators are told of the configuration
   * @param assetFolders what the pages load beside themselves; the build has put its part to the rest
   */
  static forRoot(
    configuration: ApiConfiguration,
    settings: () => Settings,
    status = fixedStatus(),
    assetFolders = [ASSETS_PATH],
  ): DynamicModule {
    return {
      module: ApiModule,
      controllers: CONTROLLERS,
      providers: [
        ...PROVIDERS,
        { provide: Assets, useFactory: () => Assets.read(assetFolders) },
        { provide: CONFIGURATION, useValue: configuration },
        { provide: CONFIGURATION_STATUS, useValue: status },
        { provide: SETTINGS, useValue: settings },
      ],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    // Monitoring is answered while other clients ask for too much.
    consumer.apply(AuthenticationMiddleware).exclude('health', 'health/live').forRoutes('{*path}');
    const paths = ['batch', 'publish', 'cancel', 'priority'].map((name) => `api/v1/test/${name}`);
    consumer.apply(postOnly).forRoutes(...paths);
  }
}
