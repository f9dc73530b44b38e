import { Module } from '@nestjs/common';
import type { DynamicModule, MiddlewareConsumer, NestModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { API_V1 } from './api-v1';
import { AuthenticationMiddleware } from './auth/authentication.middleware';
import { CONFIGURATION, CONFIGURATION_STATUS, fixedStatus } from './configuration.token';
import type { ApiConfiguration } from './configuration.token';
import { FeedsController } from './public-data/feeds.controller';
import { PackageDataController } from './public-data/package-data.controller';
import { PublicCache } from './public-data/public-cache';
import { PublicRunsService } from './public-data/public-runs.service';
import { RunFilesController } from './public-data/run-files.controller';
import { StatusDataController } from './public-data/status-data.controller';
import { StatusService } from './public-data/status.service';
import { ExplanationService } from './dispatchers/explanation.service';
import { HealthController } from './health.controller';
import { postOnly } from './http/post-only';
import { ProblemFilter } from './http/problem.filter';
import { HomeService } from './pages/home.service';
import { PackagesController } from './pages/packages.controller';
import { Templates } from './pages/page';
import { PagesController } from './pages/pages.controller';
import { RunPageService } from './pages/run-page.service';
import { StatusPagesController } from './pages/status-pages.controller';

/**
 * Everything that answers HTTP. The stores of @proctor/database, `ResultStore` and `DispatcherLine` come from global
 * modules beside it.
 */
@Module({})
export class ApiModule implements NestModule {
  static forRoot(configuration: ApiConfiguration, status = fixedStatus()): DynamicModule {
    return {
      module: ApiModule,
      controllers: [
        ...API_V1.controllers,
        RunFilesController,
        PackageDataController,
        StatusDataController,
        FeedsController,
        PagesController,
        PackagesController,
        StatusPagesController,
        HealthController,
      ],
      providers: [
        ...API_V1.providers,
        { provide: CONFIGURATION, useValue: configuration },
        { provide: CONFIGURATION_STATUS, useValue: status },
        { provide: APP_FILTER, useClass: ProblemFilter },
        Templates,
        ExplanationService,
        PublicCache,
        PublicRunsService,
        StatusService,
        HomeService,
        RunPageService,
      ],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    // Whoever watches the server is served while somebody else asks for too much.
    consumer.apply(AuthenticationMiddleware).exclude('health').forRoutes('{*path}');
    const paths = ['batch', 'publish', 'cancel', 'priority'].map((name) => `api/v1/test/${name}`);
    consumer.apply(postOnly).forRoutes(...paths);
  }
}
