import { NestFactory } from '@nestjs/core';
import type { DynamicModule, NestApplicationOptions } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { asOneRequest } from '@proctor/database';
import express, { type RequestHandler } from 'express';
import type { ApiConfiguration } from './configuration.token';
import { slashesMiddleware } from './http/paths';
import { TimedAdapter } from './http/timed-adapter';
import { ASSETS_PATH } from './pages/page';
import { constants } from 'node:zlib';
import compression from 'compression';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import { Logger } from '@nestjs/common';
import type { ContextRequest } from './http/request-context';

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

/** Each piece that is written goes out at once: a list's first byte does not wait for its last row. */
const compress = compression({ level: constants.Z_BEST_SPEED, flush: constants.Z_SYNC_FLUSH });

/** Compresses answers for clients that take gzip; no other encoding is offered. */
function gzipOnly(request: Request, response: Response, next: NextFunction): void {
  const takesGzip = request.acceptsEncodings(['gzip', 'identity']) === 'gzip';
  request.headers['accept-encoding'] = takesGzip ? 'gzip' : 'identity';
  compress(request, response, next);
}

/**
 * Pages use their own style sheet and images and nothing else. HSTS is left to the proxy that terminates TLS in front of
 * this server, which speaks plain HTTP.
 */
const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      'default-src': ["'none'"],
      'style-src': ["'self'"],
      'img-src': ["'self'"],
      'form-action': ["'self'"],
      'base-uri': ["'none'"],
      'frame-ancestors': ["'none'"],
    },
  },
  strictTransportSecurity: false,
});

const PATH_LENGTH_MAX = 300;

/** One line for each answer. It holds neither headers nor the query: a key that was put there stays unwritten. */
export function accessLog(logger = new Logger('Access')) {
  return (request: ContextRequest, response: Response, next: NextFunction): void => {
    const started = performance.now();
    const path = request.path.slice(0, PATH_LENGTH_MAX);
    response.once('close', () => {
      const took = Math.round(performance.now() - started);
      const outcome = response.writableFinished
        ? String(response.statusCode)
        : `${response.statusCode} (broken off)`;
      const user = request.requestor?.userName ?? request.keyOwner?.name ?? '-';
      logger.log(`${request.method} ${path} ${outcome} ${took} ms ${user}`);
    });
    next();
  };
}
