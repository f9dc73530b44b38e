import type { NextFunction, Request, Response } from 'express';
import { badRequest, Problem } from './problem';

/** The whole path of a request, also inside a middleware, where Express removes its mount path. */
export function pathOf(request: Request): string {
  return request.baseUrl + request.path;
}

/**
 * The beginning of absolute links, without a slash at its end.
 * @param publicUrl the configured address of this server, which a proxy in front of it needs
 * @throws Problem 400 if the Host of the request is needed and names no host
 */
export function baseUrl(request: Request, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl;
  const url = `${request.protocol}://${request.get('Host') ?? 'localhost'}`;
  if (!URL.canParse(url)) throw badRequest('The header Host names no host.');
  return new URL(url).origin;
}

/**
 * Allows only POST on fixed paths that look like another endpoint with a parameter: `/test/batch` is no run.
 * @throws Problem 405 for another method
 */
export function postOnly(request: Request, _response: Response, next: NextFunction): void {
  if (request.method !== 'POST') {
    const detail = `${request.method} is not possible at ${pathOf(request)}; it takes POST.`;
    throw new Problem(405, detail, { headers: { Allow: 'POST' } });
  }
  next();
}
