import { Injectable } from '@nestjs/common';
import type { NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { pathOf } from '../http/paths';
import { proofFor } from './door';
import { KeyCheck } from './key-check';
import { PasswordCheck } from './password-check';
import type { WithKeyOwner, WithRequestor, WithVisitor } from './requestor';

/**
 * Looks at who asks before anything else of a request does, the body included. It is a middleware because it
 * covers unknown endpoints too, where no guard runs.
 */
@Injectable()
export class DoorMiddleware implements NestMiddleware {
  constructor(
    private readonly keys: KeyCheck,
    private readonly passwords: PasswordCheck,
  ) {}

  /** @throws Problem 403 without a valid key where one is needed; 401 without a password where one is needed; 429; 503 */
  async use(
    request: Request & WithRequestor & WithKeyOwner & WithVisitor,
    response: Response,
    next: NextFunction,
  ): Promise<void> {
    const proof = proofFor(pathOf(request));
    if (proof === 'key') {
      request.requestor = await this.keys.requestorOf(request, response);
    } else if (proof === 'password') {
      response.set('Cache-Control', 'no-store');
      request.keyOwner = await this.passwords.userOf(request);
      response.set('Auth-User', request.keyOwner.name);
    } else {
      request.visitor = await this.keys.visitorOf(request, response);
    }
    next();
  }
}
