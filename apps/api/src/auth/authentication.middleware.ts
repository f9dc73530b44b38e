import { Injectable, SetMetadata } from '@nestjs/common';
import type { NestMiddleware } from '@nestjs/common';
import type { NextFunction, Response } from 'express';
import { pathOf } from '../http/paths';
import { KeyCheck } from './key-check';
import { PasswordCheck } from './password-check';
import type { ContextRequest } from '../http/request-context';

/** What a request must show: an API key, its user's password, or nothing. */
export type Credential = 'key' | 'password' | 'nothing';

/** The whole path, slashes collapsed, as it stands in the request line. Under /api/v1, what is not named here needs a key. */
export function credentialFor(path: string): Credential {
  const trimmed = path.replace(/\/$/, '');
  if (!/^\/api\/v1(\/|$)/.test(trimmed) || trimmed === '/api/v1/openapi.json') return 'nothing';
  return trimmed === '/api/v1/keys' || trimmed.startsWith('/api/v1/keys/') ? 'password' : 'key';
}

export const CREDENTIAL = 'credential';

/**
 * Tells what the routes of a controller need. It is for readers and for the test that compares it with `credentialFor`,
 * by which requests are judged: a controller that forgets it, or is wrong, opens nothing.
 */
export const Requires = (credential: Credential): ClassDecorator => SetMetadata(CREDENTIAL, credential);

/**
 * Authenticates a request before anything else of it is looked at, the body included. It is a middleware because it
 * covers unknown endpoints too, where no guard runs.
 */
@Injectable()
export class AuthenticationMiddleware implements NestMiddleware {
  constructor(
    private readonly keys: KeyCheck,
    private readonly passwords: PasswordCheck,
  ) {}

  /** @throws Problem 403 without a valid key where one is needed; 401 without a password where one is needed; 429; 503 */
  async use(request: ContextRequest, response: Response, next: NextFunction): Promise<void> {
    const credential = credentialFor(pathOf(request));
    if (credential === 'key') {
      request.requestor = await this.keys.requestorOf(request, response);
    } else if (credential === 'password') {
      response.set('Cache-Control', 'no-store');
      request.keyOwner = await this.passwords.userOf(request);
      response.set('Auth-User', request.keyOwner.name);
    } else {
      request.visitor = await this.keys.visitorOf(request, response);
    }
    next();
  }
}
