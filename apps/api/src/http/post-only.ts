import type { NextFunction, Request, Response } from 'express';
import { pathOf } from './paths';
import { Problem } from './problem';

/**
 * For fixed paths that look like another endpoint's with a parameter: `/test/batch` is no run.
 * @throws Problem 405
 */
export function postOnly(request: Request, _response: Response, next: NextFunction): void {
  if (request.method !== 'POST') {
    const detail = `${request.method} is not possible at ${pathOf(request)}; it takes POST.`;
    throw new Problem(405, detail, { headers: { Allow: 'POST' } });
  }
  next();
}
