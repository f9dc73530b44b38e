import type { NextFunction, Request, Response } from 'express';
import { badRequest, Problem } from './problem';

/** The whole path of a request, also inside a middleware, where Express cuts off what it is mounted at. */
export function pathOf(request: Request): string {
  return request.baseUrl + request.path;
}

/**
 * What comes before the path of an absolute link; no slash at its end.
 * @param publicUrl the configured address of this server, which a proxy in front of it makes necessary
 * @throws Problem 400 when the request's own Host is needed and names no host
 */
export function baseUrl(request: Request, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl.replace(/(?<!\/)\/+$/, '');
  const url = `${request.protocol}://${request.get('Host') ?? 'localhost'}`;
  if (!URL.canParse(url)) throw badRequest('The header Host names no host.');
  return new URL(url).origin;
}

/**
 * Refuses other methods than POST on fixed paths that look like another endpoint with a parameter: `/test/batch` is no run.
 * @throws Problem 405
 */
export function postOnly(request: Request, _response: Response, next: NextFunction): void {
  if (request.method !== 'POST') {
    const detail = `${request.method} is not possible at ${pathOf(request)}; it takes POST.`;
    throw new Problem(405, detail, { headers: { Allow: 'POST' } });
  }
  next();
}
