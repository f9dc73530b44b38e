import type { Response } from 'express';
import onHeaders from 'on-headers';
import { pathOf } from '../http/paths';
import { Problem } from '../http/problem';
import type { ContextRequest } from '../http/request-context';
import { loginUrl } from '../sessions/return-to';

/** What a server that is closed shows to everybody all the same: nothing of it tells of runs. */
const OPEN = /^\/(user\/login(\/.*)?|robots\.txt|favicon\.ico|-\/look|assets\/.*)\/?$/;

export function isAlwaysOpen(path: string): boolean {
  return OPEN.test(path);
}

/**
 * Lets readers through who are known, where the server is closed to others, and no cache that others read from keeps what they get.
 * @throws Problem 302 to the login and back for a browser that asks for a page, 403 for anybody else who is not known
 */
export function requireReader(request: ContextRequest, response: Response): void {
  response.vary('Cookie');
  response.vary('Auth-Key');
  if (!request.visitor && !request.viewer?.user) throw refusal(request);
  onHeaders(response, () => {
    const said = String(response.getHeader('Cache-Control') ?? 'no-cache');
    if (!/\b(private|no-store)\b/.test(said))
      response.setHeader('Cache-Control', `private, ${said.replace(/^public, */, '')}`);
  });
}

function refusal(request: ContextRequest): Problem {
  const isBrowser = (request.get('Accept') ?? '').includes('text/html');
  if (!isBrowser) return new Problem(403, 'This is for users: log in, or send a valid API key in Auth-Key.');
  // What a form would have done is not done again after the login.
  const path = ['GET', 'HEAD'].includes(request.method) ? request.originalUrl : pathOf(request);
  return new Problem(302, 'Log in first.', { headers: { Location: loginUrl(path) } });
}
