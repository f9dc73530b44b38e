import { Logger } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import type { WithKeyOwner, WithRequestor } from '../auth/requestor';

const PATH_LENGTH_MAX = 300;

/** One line for each answer. It holds neither headers nor the query: a key that was put there stays unwritten. */
export function accessLog(logger = new Logger('Access')) {
  return (request: Request & WithRequestor & WithKeyOwner, response: Response, next: NextFunction): void => {
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
