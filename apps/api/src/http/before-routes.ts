import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { constants } from 'node:zlib';
import { basePathOf } from '@proctor/config';
import { asOneRequest } from '@proctor/database';
import { withLogFields } from '@proctor/process';
import compression from 'compression';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import type { ApiConfiguration } from '../configuration.token';
import { accessLog, type RecordAnswer } from './access-log';
import { serveBelow } from './base-path';
import { badRequest } from './problem';
import { asReader } from './reading';
import type { ContextRequest } from './request-context';

/**
 * Pages use only their own script, style sheet and images. The proxy that terminates TLS sets HSTS; this server
 * speaks plain HTTP.
 */
const SECURITY_HEADERS = headersOf(
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'script-src': ["'self'"],
        'connect-src': ["'self'"],
        'style-src': ["'self'"],
        'img-src': ["'self'"],
        'form-action': ["'self'"],
        'base-uri': ["'none'"],
        'frame-ancestors': ["'none'"],
      },
    },
    // With the default, browsers would send `Origin: null` from our own forms.
    referrerPolicy: { policy: 'same-origin' },
    strictTransportSecurity: false,
  }),
);

/** All methods of this server: the answer to `OPTIONS *`. */
const SERVER_METHODS = 'DELETE, GET, HEAD, OPTIONS, POST';

/** More listeners on a response are a leak. Each step of a request adds a few, and a stream some more. */
const RESPONSE_LISTENERS_MAX = 20;

/** Allowed request ids of proxies and clients. Others could forge lines of a log. */
const REQUEST_ID = /^[\w.:/+=-]{1,128}$/;

/** Each written piece is sent at once: the first byte of a list does not wait for its last row. */
const compress = compression({ level: constants.Z_BEST_SPEED, flush: constants.Z_SYNC_FLUSH });

/**
 * Everything before the route of a request, in one step: Express needs longer for a step than most of these checks.
 * Answers are compressed with gzip for clients that accept it; no other encoding is offered.
 * @param answered called with each answer
 */
export function beforeRoutes(configuration: ApiConfiguration, answered?: RecordAnswer) {
  const log = accessLog(answered);
  return (request: ContextRequest, response: Response, next: NextFunction): void => {
    const base = basePathOf(configuration.server.publicUrl);
    if (base !== '') serveBelow(base, request, response);
    // Each step of a request may listen for its end.
    response.setMaxListeners(RESPONSE_LISTENERS_MAX);
    const requestId = (request.requestId = requestIdOf(request));
    log(request, response);
    for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value);
    response.setHeader('Vary', 'Accept-Encoding');
    response.setHeader('X-Request-Id', requestId);
    if (request.targetFault !== undefined) throw badRequest(request.targetFault);
    if (request.url === '*') {
      response.status(204).setHeader('Allow', SERVER_METHODS).end();
      return;
    }
    const isShortened = takesGzip(request);
    if (isShortened) request.headers['accept-encoding'] = 'gzip';
    withLogFields({ request: requestId }, () =>
      asReader(response, () => asOneRequest(isShortened ? () => compress(request, response, next) : next)),
    );
  };
}

/** The id of a request in logs and answers: its own header, or a new one. */
function requestIdOf({ headers }: Request): string {
  const header = headers['x-request-id'];
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : randomUUID();
}

function takesGzip(request: Request): boolean {
  const isSaid = request.headers['accept-encoding'] !== undefined;
  return isSaid && request.acceptsEncodings(['gzip', 'identity']) === 'gzip';
}

/** The headers that helmet sets; they are the same for each request. */
function headersOf(handler: ReturnType<typeof helmet>): [string, string][] {
  const headers: [string, string][] = [];
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  response.setHeader = (name, value) => {
    headers.push([name, String(value)]);
    return response;
  };
  handler(request, response, () => undefined);
  return headers;
}
