import { promisify } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { basePathOf } from '@proctor/config';
import { ApiKeys, Sessions, Users } from '@proctor/database';
import type { Requestor, User } from '@proctor/database';
import type { RequestHandler, Response } from 'express';
import session from 'express-session';
import onHeaders from 'on-headers';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { badRequest } from '../http/problem';
import type { ContextRequest } from '../http/request-context';
import { formTokenOf, requireSameOrigin, requireToken } from './form-protection';
import type { BegunLogin, ProviderSession } from './login-providers';
import { Viewer } from './viewer';

const HOUR_MS = 3_600_000;

/** The login page gets a session for its form, which ends soon. */
const BEFORE_LOGIN_MS = HOUR_MS;

/** The maximum number of open logins of one browser, one for each tab. */
const BEGUN_MAX = 5;

interface Kind {
  cookie: string;
  isSecure: boolean;
}

/** Browsers accept a cookie with this prefix only over HTTPS, from this very host, and for every path. */
const OVER_TLS: Kind = { cookie: '__Host-proctor', isSecure: true };
/** Browsers accept a cookie with this prefix only over HTTPS. It is limited to our path, since others may use the rest of the host. */
const OVER_TLS_BELOW: Kind = { cookie: '__Secure-proctor', isSecure: true };
const IN_THE_CLEAR: Kind = { cookie: 'proctor', isSecure: false };

/** The sessions of logged-in browsers. They are rows, so that every api process knows them. */
@Injectable()
export class BrowserSessions {
  private readonly handlers = new Map<Kind, Promise<RequestHandler>>();

  constructor(
    private readonly sessions: Sessions,
    private readonly users: Users,
    private readonly keys: ApiKeys,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** Finds the viewer of a page. Without our cookie this costs nothing. */
  async viewerOf(request: ContextRequest, response: Response): Promise<Viewer> {
    if (!this.hasCookie(request)) return Viewer.ANONYMOUS;
    await this.open(request, response);
    const { userId } = request.session;
    const user = userId === undefined ? null : await this.users.byId(userId);
    if (!user) return Viewer.ANONYMOUS;
    keepPrivate(request, response);
    return new Viewer(user, formTokenOf(request));
  }

  /**
   * Whether the session of a running request still belongs to the same user with the same rights.
   * @throws Error if the database is away
   */
  async isStillOf(request: ContextRequest, { userId, isAdmin }: User): Promise<boolean> {
    const { store } = this.sessions;
    const data = await promisify(store.get.bind(store))(request.sessionID);
    return data?.userId === userId && (await this.users.byId(userId))?.isAdmin === isAdmin;
  }

  /** The token for a form before the login; starts a session if there is none. */
  async tokenBeforeLogin(request: ContextRequest, response: Response): Promise<string> {
    await this.openBeforeLogin(request, response);
    return formTokenOf(request);
  }

  /** Stores what the answer of a provider must match; starts a session if there is none. */
  async remember(request: ContextRequest, response: Response, login: BegunLogin): Promise<void> {
    await this.openBeforeLogin(request, response);
    request.session.begun = [...(request.session.begun ?? []), login].slice(-BEGUN_MAX);
    await save(request);
  }

  /** Returns and removes the login that this browser started. @param state from the provider's answer */
  async recall(request: ContextRequest, response: Response, state: string): Promise<BegunLogin | null> {
    await this.openBeforeLogin(request, response);
    const all = request.session.begun ?? [];
    const login = all.find((each) => each.state === state);
    if (!login) return null;
    request.session.begun = all.filter((each) => each !== login);
    await save(request);
    return login;
  }

  /**
   * Logs a user in, in a session with a new id: an id that someone else put into the browser is of no use.
   * @param provider the login provider, if its own session can be ended
   */
  async startSession(
    request: ContextRequest,
    response: Response,
    user: User,
    provider: ProviderSession | null = null,
  ): Promise<void> {
    await this.open(request, response);
    await promisify(request.session.regenerate.bind(request.session))();
    request.session.userId = user.userId;
    if (provider) request.session.provider = provider;
    request.session.cookie.maxAge = this.configuration.server.sessionHours * HOUR_MS;
    formTokenOf(request);
    await save(request);
  }

  /**
   * Logs out. The session is deleted, even if the browser keeps its cookie.
   * @returns the user's session at a provider, if any
   */
  async end(request: ContextRequest, response: Response): Promise<ProviderSession | null> {
    await this.open(request, response);
    const { provider } = request.session;
    await promisify(request.session.destroy.bind(request.session))();
    const { cookie, isSecure } = this.kind;
    response.clearCookie(cookie, { path: '/', httpOnly: true, secure: isSecure, sameSite: 'lax' });
    request.viewer = Viewer.ANONYMOUS;
    return provider ?? null;
  }

  /** The requestor for actions on pages: the user, with their own key for pages. @param address the network of the request */
  async requestorOf(user: User, address?: string): Promise<Requestor> {
    const { userId, name: userName, isAdmin } = user;
    const keyId = await this.keys.ofPages(userId);
    return { userId, userName, isAdmin, keyId, isOnPages: true, ...(address !== undefined && { address }) };
  }

  /** @throws Problem 403 if a page of another site has sent the request */
  requireOwnPage(request: ContextRequest): void {
    requireSameOrigin(request, this.configuration.server.publicUrl);
    requireToken(request, request.get('Form-Token'));
  }

  /** Sets `request.session` from the cookie. */
  async open(request: ContextRequest, response: Response): Promise<void> {
    if (request.session) return;
    addMaxAge(request, response, this.kind.cookie);
    const handler = await this.handler();
    await new Promise<void>((resolve, reject) => {
      void handler(request, response, (error?: unknown) => {
        if (error)
          reject(error instanceof Error ? error : new Error('the session cannot be read', { cause: error }));
        else resolve();
      });
    });
  }

  private async openBeforeLogin(request: ContextRequest, response: Response): Promise<void> {
    await this.open(request, response);
    this.requireTls(request);
    if (request.session.userId === undefined) request.session.cookie.maxAge = BEFORE_LOGIN_MS;
    keepPrivate(request, response);
  }

  private hasCookie(request: ContextRequest): boolean {
    return (request.headers.cookie ?? '').includes(`${this.kind.cookie}=`);
  }

  private get kind(): Kind {
    const { publicUrl } = this.configuration.server;
    if (!publicUrl?.startsWith('https:')) return IN_THE_CLEAR;
    return basePathOf(publicUrl) === '' ? OVER_TLS : OVER_TLS_BELOW;
  }

  private requireTls(request: ContextRequest): void {
    if (!this.kind.isSecure || request.secure) return;
    throw badRequest(
      'The login goes over HTTPS: come by the public address. (For administrators: the proxy must be one of api.trustedProxies, and send X-Forwarded-Proto.)',
    );
  }

  private handler(): Promise<RequestHandler> {
    const { kind } = this;
    const existing = this.handlers.get(kind);
    if (existing) return existing;
    const handler = this.sessions.secret().then((secret) =>
      session({
        name: kind.cookie,
        secret,
        store: this.sessions.store,
        resave: false,
        saveUninitialized: false,
        cookie: { path: '/', httpOnly: true, secure: kind.isSecure, sameSite: 'lax' },
      }),
    );
    this.handlers.set(kind, handler);
    // The next request tries a failed read again.
    handler.catch(() => this.handlers.delete(kind));
    return handler;
  }
}

/** Saved now: otherwise a redirect could reach the browser before the session is stored. */
function save(request: ContextRequest): Promise<void> {
  return promisify(request.session.save.bind(request.session))();
}

/**
 * Also sends the age of the cookie, which wins over its date: if our clock is behind the browser's, the cookie would be over when it arrives.
 * It is added last, because the headers' listeners are called in reverse order.
 */
function addMaxAge(request: ContextRequest, response: Response, name: string): void {
  onHeaders(response, () => {
    const ageMs = request.session?.cookie.maxAge;
    const cookies = [response.getHeader('Set-Cookie') ?? []].flat().map(String);
    if (ageMs === undefined || ageMs === null || cookies.length === 0) return;
    const age = `; Max-Age=${Math.round(ageMs / 1_000)}`;
    response.setHeader(
      'Set-Cookie',
      cookies.map((cookie) =>
        cookie.startsWith(`${name}=`) ? cookie.replace(/(?=; Expires=)/, age) : cookie,
      ),
    );
  });
}

/** No cache may store a page for one user, or show a user the copy of an anonymous reader. */
function keepPrivate(request: ContextRequest, response: Response): void {
  for (const condition of ['if-none-match', 'if-modified-since']) delete request.headers[condition];
  onHeaders(response, () => {
    response.setHeader('Cache-Control', 'private, no-store');
    response.removeHeader('ETag');
    response.removeHeader('Last-Modified');
  });
}
