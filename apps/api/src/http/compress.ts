import { constants } from 'node:zlib';
import compression from 'compression';
import type { NextFunction, Request, Response } from 'express';

/** Each piece that is written goes out at once: a list's first byte does not wait for its last row. */
const compress = compression({ level: constants.Z_BEST_SPEED, flush: constants.Z_SYNC_FLUSH });

/** Compresses answers for clients that take gzip; no other encoding is offered. */
export function gzipOnly(request: Request, response: Response, next: NextFunction): void {
  const takesGzip = request.acceptsEncodings(['gzip', 'identity']) === 'gzip';
  request.headers['accept-encoding'] = takesGzip ? 'gzip' : 'identity';
  compress(request, response, next);
}
