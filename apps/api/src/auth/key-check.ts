import { Injectable } from '@nestjs/common';
import type { Requestor } from '@proctor/database';
import type { Request, Response } from 'express';
import { Problem } from '../http/problem';
import { AnonymousRateLimit, KnownRateLimit } from '../http/rate-limit';
import { AnonymousPlaces } from '../http/anonymous-places';
import { networkOf } from './network-of';
import { RememberedKeys } from './remembered-keys';

/** Authenticates requests by their API keys. */
@Injectable()
export class KeyCheck {
  constructor(
    private readonly keys: RememberedKeys,
    private readonly known: KnownRateLimit,
    private readonly anonymous: AnonymousRateLimit,
    private readonly places: AnonymousPlaces,
  ) {}

  /**
   * The response names the user as soon as the key is known, so that refusals that come later do too.
   * @throws Problem 403; 429
   */
  async requestorOf(request: Request, response: Response): Promise<Requestor> {
    const requestor = await this.keys.authenticate(request.get('Auth-Key') ?? '');
    if (!requestor) {
      this.anonymous.count(networkOf(request.ip ?? ''));
      throw new Problem(403, 'The header Auth-Key must hold a valid API key.');
    }
    response.set({ 'Auth-User': requestor.userName, 'Cache-Control': 'private, no-cache' });
    this.known.count(`key ${requestor.keyId}`);
    return requestor;
  }

  /**
   * Where no key is needed: a wrong one counts as none. A request without one waits for a place among those.
   * @throws Problem 429; 503
   */
  async visitorOf(request: Request, response: Response): Promise<Requestor | null> {
    const key = request.get('Auth-Key');
    const requestor = key ? await this.keys.authenticate(key) : null;
    if (requestor) {
      this.known.count(`key ${requestor.keyId}`);
    } else {
      this.anonymous.count(networkOf(request.ip ?? ''));
      await this.places.enter(response);
    }
    return requestor;
  }
}
