import { Injectable } from '@nestjs/common';
import { ApiKeys } from '@proctor/database';
import type { Requestor } from '@proctor/database';
import type { Request, Response } from 'express';
import { Problem } from '../http/problem';
import { RateLimit } from '../limits/rate-limit';

/** Who asks, by the API key. */
@Injectable()
export class KeyCheck {
  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly rate: RateLimit,
  ) {}

  /**
   * The response names the user as soon as the key is known, so that refusals that come later do too.
   * @throws Problem 403; 429
   */
  async requestorOf(request: Request, response: Response): Promise<Requestor> {
    const requestor = await this.apiKeys.authenticate(request.get('Auth-Key') ?? '');
    if (!requestor) throw new Problem(403, 'The header Auth-Key must hold a valid API key.');
    response.set({ 'Auth-User': requestor.userName, 'Cache-Control': 'private, no-cache' });
    await this.rate.count(`key ${requestor.keyId}`);
    return requestor;
  }
}
