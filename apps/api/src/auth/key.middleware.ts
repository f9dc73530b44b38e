import { Injectable } from '@nestjs/common';
import type { NestMiddleware } from '@nestjs/common';
import { ApiKeys } from '@proctor/database';
import type { NextFunction, Request, Response } from 'express';
import { Problem } from '../http/problem';
import type { WithRequestor } from './requestor';

/**
 * Looks at the key before anything else of a request does, the body included. It is a middleware because it
 * covers unknown endpoints too, where no guard runs.
 */
@Injectable()
export class KeyMiddleware implements NestMiddleware {
  constructor(private readonly apiKeys: ApiKeys) {}

  async use(request: Request & WithRequestor, response: Response, next: NextFunction): Promise<void> {
    const requestor = await this.apiKeys.authenticate(request.get('Auth-Key') ?? '');
    if (!requestor) throw new Problem(403, 'The header Auth-Key must hold a valid API key.');
    request.requestor = requestor;
    response.set({ 'Auth-User': requestor.userName, 'Cache-Control': 'private, no-cache' });
    next();
  }
}
