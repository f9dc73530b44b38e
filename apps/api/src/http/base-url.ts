import type { Request } from 'express';
import { badRequest } from './problem';

/**
 * What comes before the path of an absolute link; no slash at its end.
 * @param publicUrl the configured address of this server, which a proxy in front of it makes necessary
 * @throws Problem 400 when the request's own Host is needed and names no host
 */
export function baseUrl(request: Request, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '');
  const url = `${request.protocol}://${request.get('Host') ?? 'localhost'}`;
  if (!URL.canParse(url)) throw badRequest('The header Host names no host.');
  return new URL(url).origin;
}
