import { Module } from '@nestjs/common';
import type { DynamicModule, MiddlewareConsumer, NestModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { AuthController } from './auth/auth.controller';
import { KeyMiddleware } from './auth/key.middleware';
import { CONFIGURATION } from './configuration.token';
import type { ApiConfiguration } from './configuration.token';
import { PackageDataController } from './data/package-data.controller';
import { PublicRunsService } from './data/public-runs.service';
import { RunFilesController } from './data/run-files.controller';
import { ExplanationService } from './dispatchers/explanation.service';
import { HealthController } from './health/health.controller';
import { ProblemFilter } from './http/problem.filter';
import { HomeService } from './pages/home.service';
import { PagesController } from './pages/pages.controller';
import { RunPageService } from './pages/run-page.service';
import { Templates } from './pages/templates';
import { RejectListController } from './reject-list/reject-list.controller';
import { ResultsController } from './results/results.controller';
import { ResultsService } from './results/results.service';
import { SubmissionController } from './submission/submission.controller';
import { SubmissionService } from './submission/submission.service';

/**
 * Everything that answers HTTP. The stores of @proctor/database, `ResultStore` and `DispatcherLine` come from global
 * modules beside it.
 */
@Module({})
export class ApiModule implements NestModule {
  static forRoot(configuration: ApiConfiguration): DynamicModule {
    return {
      module: ApiModule,
      controllers: [
        AuthController,
        RejectListController,
        ResultsController,
        SubmissionController,
        RunFilesController,
        PackageDataController,
        PagesController,
        HealthController,
      ],
      providers: [
        { provide: CONFIGURATION, useValue: configuration },
        { provide: APP_FILTER, useClass: ProblemFilter },
        Templates,
        ExplanationService,
        SubmissionService,
        ResultsService,
        PublicRunsService,
        HomeService,
        RunPageService,
      ],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(KeyMiddleware).forRoutes('api/v1{/*rest}');
  }
}
