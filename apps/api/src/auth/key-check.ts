import { Injectable } from '@nestjs/common';
import { timestamp } from '@proctor/contracts';
import { KeyRefused } from '@proctor/database';
import type { KeyHolder, Requestor, User } from '@proctor/database';
import type { Request, Response } from 'express';
import { BrowserSessions } from '../sessions/browser-sessions';
import { loginUrl } from '../sessions/return-to';
import { Viewer } from '../sessions/viewer';
import { Problem } from '../http/problem';
import { AnonymousRateLimit, KnownRateLimit } from '../http/rate-limit';
import { AnonymousPlaces } from '../http/anonymous-places';
import type { ContextRequest } from '../http/request-context';
import { pathOf } from '../http/paths';
import { neededScope, suffices } from './key-scopes';
import { networkOf } from '../http/network-of';
import { RememberedKeys } from './remembered-keys';

/** Authenticates requests by their API keys. */
@Injectable()
export class KeyCheck {
  constructor(
    private readonly keys: RememberedKeys,
    private readonly rateLimit: KnownRateLimit,
    private readonly anonymous: AnonymousRateLimit,
    private readonly places: AnonymousPlaces,
    private readonly sessions: BrowserSessions,
  ) {}

  /**
   * The response names the user, and the end of the key, as soon as the key is known, so that later refusals have
   * them, too.
   * @throws Problem 403 for an unknown key, or one whose scope does not allow the request; 429 for too many requests
   */
  async requestorOf(request: ContextRequest, response: Response): Promise<Requestor> {
    return this.authenticateWith(request, response, (keyId) => this.rateLimit.count(`key ${keyId}`));
  }

  /**
   * Checks the key of a request again after a wait, because it may have been revoked. The request is not counted
   * again.
   * @throws Problem 403 if the key is no longer valid
   */
  async requestorAfterWait(request: ContextRequest, response: Response): Promise<Requestor> {
    return this.authenticateWith(request, response, () => undefined);
  }

  private async authenticateWith(
    request: ContextRequest,
    response: Response,
    count: (keyId: number) => void,
  ): Promise<Requestor> {
    const holder = await this.holderOf(request);
    if (!(holder && 'keyId' in holder)) {
      this.anonymous.count(networkOf(request.ip ?? ''));
      throw new Problem(403, holder?.message ?? 'The header Auth-Key must hold a valid API key.');
    }
    const { scope, expiresAt, validMs: _, ...requestor } = holder;
    request.keyLimits = { scope, expiresAt };
    response.setHeader('Auth-User', requestor.userName);
    if (expiresAt) response.setHeader('Auth-Key-Expires', timestamp(expiresAt));
    response.setHeader('Cache-Control', 'private, no-cache');
    count(requestor.keyId);
    const needed = neededScope(request.method, pathOf(request));
    if (suffices(scope, needed)) return requestor;
    const neededScopes = needed === 'everything' ? needed : `${needed} or everything`;
    throw new Problem(
      403,
      `The scope of this API key is ${scope}: this takes a key of the scope ${neededScopes}.`,
    );
  }

  /**
   * Whether a new request with the same credentials would come from the same reader, for a request that still runs.
   */
  async isStillReader(request: ContextRequest): Promise<boolean> {
    const byKey = request.requestor ?? request.visitor;
    if (byKey) {
      const holder = await this.holderOf(request);
      if (!(holder && 'keyId' in holder && suffices(holder.scope, 'read'))) return false;
      if (holder.keyId !== byKey.keyId || holder.isAdmin !== byKey.isAdmin) return false;
    }
    const user = request.viewer?.user;
    return !user || this.sessions.isStillOf(request, user);
  }

  /**
   * Finds the visitor of a route that needs no key: null for a wrong key, or one that may not read. The request of an
   * unknown client waits for a free place.
   * @param isByCookie whether a session also counts; `request.viewer` is then its user
   * @throws Problem 429 for too many requests; 503 if no place comes free in time
   */
  async visitorOf(
    request: ContextRequest,
    response: Response,
    isByCookie: boolean,
  ): Promise<Requestor | null> {
    const holder = request.get('Auth-Key') ? await this.holderOf(request) : null;
    if (holder && 'keyId' in holder && suffices(holder.scope, 'read')) {
      this.rateLimit.count(`key ${holder.keyId}`);
      return holder;
    }
    this.anonymous.count(networkOf(request.ip ?? ''));
    const viewer = isByCookie ? await this.viewerOf(request, response) : Viewer.ANONYMOUS;
    if (viewer.user) this.rateLimit.count(`user ${viewer.user.userId}`);
    else await this.places.enter(response);
    return null;
  }

  /**
   * Finds the requestor of a page below /api by its key, or else by its session.
   * @throws Problem 302 to the login for a browser without either; 403 for other clients; 429 for too many requests
   */
  async readerOf(request: ContextRequest, response: Response): Promise<Requestor> {
    if (request.get('Auth-Key') !== undefined) return this.requestorOf(request, response);
    response.vary('Cookie');
    request.viewer = await this.sessions.viewerOf(request, response);
    const { user } = request.viewer;
    if (user) {
      this.rateLimit.count(`user ${user.userId}`);
      return this.sessions.requestorOf(user);
    }
    if (!(request.get('Accept') ?? '').includes('text/html')) return this.requestorOf(request, response);
    this.anonymous.count(networkOf(request.ip ?? ''));
    throw new Problem(302, 'Log in first.', { headers: { Location: loginUrl(request.originalUrl) } });
  }

  /**
   * The user of the session, for the endpoints of keys; null without a session.
   * @throws Problem 403 for a change that does not come from our own pages with their token in the header
   * `Form-Token`; 429 for too many requests
   */
  async sessionOf(request: ContextRequest, response: Response): Promise<User | null> {
    const { user } = await this.sessions.viewerOf(request, response);
    if (!user) return null;
    this.rateLimit.count(`user ${user.userId}`);
    if (!['GET', 'HEAD'].includes(request.method)) this.sessions.requireOwnPage(request);
    return user;
  }

  /** Null for an unknown key. */
  private async holderOf(request: Request): Promise<KeyHolder | KeyRefused | null> {
    return this.keys.authenticate(request.get('Auth-Key') ?? '').catch((error: unknown) => {
      if (error instanceof KeyRefused) return error;
      throw error;
    });
  }

  private async viewerOf(request: ContextRequest, response: Response): Promise<Viewer> {
    response.vary('Cookie');
    request.viewer = await this.sessions.viewerOf(request, response);
    return request.viewer;
  }
}
