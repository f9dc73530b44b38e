import { Inject, Injectable, SetMetadata, type NestMiddleware } from '@nestjs/common';
import type { User } from '@proctor/database';
import type { NextFunction, Response } from 'express';
import { CONFIGURATION, type ApiConfiguration } from '../configuration.token';
import { discardNeedlessBody } from '../http/body-need';
import { pathOf } from '../http/paths';
import { KeyCheck } from './key-check';
import { PasswordCheck } from './password-check';
import type { ContextRequest } from '../http/request-context';
import onHeaders from 'on-headers';
import { Problem } from '../http/problem';
import { loginUrl } from '../sessions/return-to';

/** Paths that a closed server shows without a login: they say nothing about runs. */
const OPEN =
  /^\/(user\/login(\/.*)?|robots\.txt|favicon\.ico|-\/look|mail\/(confirm|unsubscribe)\/[^/]+|assets\/.*)\/?$/;

function isAlwaysOpen(path: string): boolean {
  return OPEN.test(path);
}

/**
 * Refuses unknown readers if the server is closed to them. Shared caches must not store the answers to others.
 * @throws Problem for an unknown reader: 302 to the login for a browser, 403 for others
 */
function requireReader(request: ContextRequest, response: Response): void {
  response.vary('Cookie');
  response.vary('Auth-Key');
  if (!request.visitor && !request.viewer?.user) throw refusal(request);
  onHeaders(response, () => {
    const cacheControl = String(response.getHeader('Cache-Control') ?? 'no-cache');
    if (!/\b(private|no-store)\b/.test(cacheControl))
      response.setHeader('Cache-Control', `private, ${cacheControl.replace(/^public, */, '')}`);
  });
}

function refusal(request: ContextRequest): Problem {
  const isBrowser = (request.get('Accept') ?? '').includes('text/html');
  if (!isBrowser) return new Problem(403, 'This is for users: log in, or send a valid API key in Auth-Key.');
  // The login must not repeat what a form would have done.
  const path = ['GET', 'HEAD'].includes(request.method) ? request.originalUrl : pathOf(request);
  return new Problem(302, 'Log in first.', { headers: { Location: loginUrl(path) } });
}

/** What a request needs: an API key, the password of its user, or nothing. */
type Credential = 'key' | 'password' | 'nothing';

/** Decides by the whole path of the request line, with single slashes. Under /api/v1 every other path needs a key. */
export function credentialFor(path: string): Credential {
  const trimmed = path.replace(/\/$/, '');
  if (!/^\/api\/v1(\/|$)/.test(trimmed) || trimmed === '/api/v1/openapi.json') return 'nothing';
  return trimmed === '/api/v1/keys' || trimmed.startsWith('/api/v1/keys/') ? 'password' : 'key';
}

export const CREDENTIAL = 'credential';

/**
 * States what the routes of a controller need. It is for readers and for the test that compares it with
 * `credentialFor`, which decides about requests: a controller with a wrong statement, or without one, opens
 * nothing.
 */
export const Requires = (credential: Credential): ClassDecorator => SetMetadata(CREDENTIAL, credential);

/**
 * Authenticates a request before anything else reads it or its body. It is a middleware because it must also cover
 * unknown endpoints, where no guard runs.
 */
@Injectable()
export class AuthenticationMiddleware implements NestMiddleware {
  constructor(
    private readonly keys: KeyCheck,
    private readonly passwords: PasswordCheck,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /**
   * @throws Problem 413 for a long body that no handler reads; 403 without a required valid key; 401 without a
   * required password; 302 or 403 for unknown readers of a closed server; 429 for too many requests; 503 if no place
   * comes free
   */
  async use(request: ContextRequest, response: Response, next: NextFunction): Promise<void> {
    const path = pathOf(request);
    const credential = request.isPublicRead ? 'nothing' : credentialFor(path);
    if (credential === 'key') {
      const how = isRetryPage(request) ? 'readerOf' : 'requestorOf';
      request.requestor = await this.keys[how](request, response);
    } else if (credential === 'password') {
      response.set('Cache-Control', 'no-store');
      request.keyOwner = await this.keyOwnerOf(request, response);
      response.set('Auth-User', request.keyOwner.name);
    } else {
      const isClosed = !this.configuration.server.anonymousMayRead && !isAlwaysOpen(path);
      request.visitor = await this.keys.visitorOf(request, response, isClosed || isPage(path));
      if (request.isPublicRead) response.setHeader('Cache-Control', 'public, no-cache');
      if (isClosed) requireReader(request, response);
    }
    discardNeedlessBody(request);
    next();
  }

  /** Finds the owner of the keys by a password, or by a session if the request comes from our own pages. */
  private async keyOwnerOf(request: ContextRequest, response: Response): Promise<User> {
    const isByPassword = request.get('Authorization') !== undefined;
    const user = isByPassword ? null : await this.keys.sessionOf(request, response);
    return user ?? this.passwords.userOf(request);
  }
}

/** Public data, files and the API are the same for all readers, or depend on a key: they are no pages. */
function isPage(path: string): boolean {
  return !/^\/(api|data|assets|health)(\/|$)/.test(path) || /^\/api\/doc\/?$/.test(path);
}

/** The only page below /api. People reach it by links from other sites. */
function isRetryPage(request: ContextRequest): boolean {
  return ['GET', 'HEAD'].includes(request.method) && /^\/api\/v1\/retry\/[^/]+\/?$/.test(pathOf(request));
}
