import { NestFactory } from '@nestjs/core';
import type { DynamicModule, NestApplicationOptions } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { asOneRequest } from '@proctor/database';
import express, { type RequestHandler } from 'express';
import type { ApiConfiguration } from './configuration.token';
import { accessLog } from './http/access-log';
import { gzipOnly } from './http/compress';
import { slashesMiddleware } from './http/paths';
import { securityHeaders } from './http/security-headers';
import { TimedAdapter } from './http/timed-adapter';
import { ASSETS_PATH } from './pages/page';

/**
 * The application with everything that comes before its routes; it does not listen yet.
 * @param limits those that take a restart
 */
export async function createApplication(
  root: DynamicModule,
  limits: Pick<
    ApiConfiguration['server'],
    'headersTimeoutMs' | 'requestTimeoutMs' | 'socketIdleMs' | 'trustedProxies'
  >,
  options: NestApplicationOptions = {},
): Promise<NestExpressApplication> {
  const server = express();
  // Names in paths are case-sensitive, so paths are. Express takes the setting when it makes its router, once.
  server.set('case sensitive routing', true);
  server.disable('x-powered-by');
  const application = await NestFactory.create<NestExpressApplication>(
    root,
    new TimedAdapter(server, limits),
    {
      ...options,
      // Bodies are read by the routes that take one, after the key was checked.
      bodyParser: false,
    },
  );
  application.set('trust proxy', limits.trustedProxies);
  application.use(boundedWait, slashesMiddleware, accessLog(), securityHeaders, gzipOnly);
  application.useStaticAssets(ASSETS_PATH, {
    prefix: '/assets/',
    index: false,
    redirect: false,
    maxAge: '1h',
  });
  return application;
}

const boundedWait: RequestHandler = (_request, _response, next) => asOneRequest(next);
