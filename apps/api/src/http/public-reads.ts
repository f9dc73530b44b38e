import type { NextFunction, Response } from 'express';
import type { ApiConfiguration } from '../configuration.token';
import type { ContextRequest } from './request-context';

/** What programs read without a key: of `GET /api/v1/…` what pages show to everybody, at `/data/v1/…`. */
const PUBLIC_READS =
  /^\/data\/v1(\/(queues|packages|workers(\/[^/]+)?|signatures(\/[^/]+)?|triggers(\/[^/]+\/[^/]+)?|notes|affected-by|compare|test\/\d+|runs\/[^/]+\/(triage|packages|artifacts(\/.+)?|log(\/(events|index|search))?))\/?)$/;

/** Below `/data`, but for the feeds of users, whose addresses are secret. */
const OPEN_TO_ORIGINS = /^\/data\/(?!followed\/)/;

const EXPOSED =
  'ETag, Last-Modified, Link, Content-Length, Content-Range, Accept-Ranges, Retry-After, Ignored-Parameters';
const ASKED_WITH = 'Accept, If-None-Match, If-Modified-Since, Range, Last-Event-ID';
const PREFLIGHT_SECONDS = 86_400;

/** The path of the API whose answer for everybody is at `path`; null: that is no public read. */
export function publicReadOf(path: string): string | null {
  const pathBelow = PUBLIC_READS.exec(path)?.[1];
  return pathBelow === undefined ? null : `/api/v1${pathBelow}`;
}

/**
 * Lets pages of any origin read what everybody may, without cookies and keys, and has public reads answered by the routes of the
 * API: /api/v1 itself asks each request for a key.
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
