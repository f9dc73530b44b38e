import type { NextFunction, Response } from 'express';
import type { ApiConfiguration } from '../configuration.token';
import type { ContextRequest } from './request-context';

/** The paths of `GET /api/v1/…` that programs read without a key at `/data/v1/…`, because pages show the same. */
const PUBLIC_READS =
  /^\/data\/v1(\/(queues|packages|workers(\/[^/]+)?|signatures(\/[^/]+)?|triggers(\/[^/]+\/[^/]+)?|notes|affected-by|compare|test\/\d+|runs\/[^/]+\/(triage|packages|artifacts(\/.+)?|log(\/(events|index|search))?))\/?)$/;

/** Everything below `/data` except the feeds of users, whose addresses are secret. */
const OPEN_TO_ORIGINS = /^\/data\/(?!followed\/)/;

const EXPOSED =
  'ETag, Last-Modified, Link, Content-Length, Content-Range, Accept-Ranges, Retry-After, Ignored-Parameters';
const ASKED_WITH = 'Accept, If-None-Match, If-Modified-Since, Range, Last-Event-ID';
const PREFLIGHT_SECONDS = 86_400;

/** The path of the API whose public answer is at `path`; null if there is none. */
export function publicReadOf(path: string): string | null {
  const pathBelow = PUBLIC_READS.exec(path)?.[1];
  return pathBelow === undefined ? null : `/api/v1${pathBelow}`;
}

/**
 * Lets pages of any origin read public data without cookies and keys, and has the routes of the API answer public
 * reads: /api/v1 itself requires a key.
 */
export function publicReads(configuration: ApiConfiguration) {
  return (request: ContextRequest, response: Response, next: NextFunction): void => {
    const [path = ''] = request.url.split('?');
    const { anyOriginMayRead, anonymousMayRead } = configuration.server;
    if (anyOriginMayRead && anonymousMayRead && OPEN_TO_ORIGINS.test(path)) {
      response.setHeader('Access-Control-Allow-Origin', '*');
      response.setHeader('Access-Control-Expose-Headers', EXPOSED);
      response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
      if (isPreflight(request)) {
        response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD');
        response.setHeader('Access-Control-Allow-Headers', ASKED_WITH);
        response.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
        response.status(204).end();
        return;
      }
    }
    const publicPath = ['GET', 'HEAD'].includes(request.method) ? publicReadOf(path) : null;
    if (publicPath !== null) {
      request.isPublicRead = true;
      request.url = publicPath + request.url.slice(path.length);
    }
    next();
  };
}

function isPreflight({ method, headers }: ContextRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
