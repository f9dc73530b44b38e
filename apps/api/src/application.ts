import { NestFactory } from '@nestjs/core';
import type { DynamicModule, NestApplicationOptions } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import { CONFIGURATION } from './configuration.token';
import type { ApiConfiguration } from './configuration.token';
import { beforeRoutes } from './http/before-routes';
import { publicReads } from './http/public-reads';
import { HttpMetrics } from './http/http-metrics';
import { TimedAdapter } from './http/timed-adapter';
import { ApiMetrics } from './monitoring/api-metrics';
import { Assets } from './pages/layout/assets';

/**
 * Creates the application with everything that comes before its routes; it does not listen yet.
 * @param limits the settings that change only with a restart
 */
export async function createApplication(
  root: DynamicModule,
  limits: Pick<
    ApiConfiguration['server'],
    | 'connectionsMax'
    | 'connectionsPerAddressMax'
    | 'headersTimeoutMs'
    | 'requestTimeoutMs'
    | 'keepAliveMs'
    | 'socketIdleMs'
    | 'trustedProxies'
  >,
  options: NestApplicationOptions = {},
): Promise<NestExpressApplication> {
  const server = express();
  // Paths are case-sensitive because the names in them are. Express reads this setting only when it creates its
  // router.
  server.set('case sensitive routing', true);
  server.disable('x-powered-by');
  const application = await NestFactory.create<NestExpressApplication>(
    root,
    new TimedAdapter(server, limits),
    {
      ...options,
      // Routes that need a body read it after the check of the key.
      bodyParser: false,
    },
  );
  application.set('trust proxy', limits.trustedProxies);
  const [http, metrics] = [application.get(HttpMetrics), application.get(ApiMetrics)];
  const configuration = application.get<ApiConfiguration>(CONFIGURATION);
  application.use(beforeRoutes(configuration, metrics.isEnabled ? http.recordAnswer.bind(http) : undefined));
  application.use(publicReads(configuration));
  const assets = application.get(Assets);
  application.use(assets.middleware);
  for (const folder of assets.folders) {
    const options = { prefix: '/assets/', index: false, redirect: false, maxAge: '1h' } as const;
    application.useStaticAssets(folder, options);
  }
  return application;
}
