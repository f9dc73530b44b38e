import { Inject, Injectable } from '@nestjs/common';
import type { ProviderSection } from '@proctor/config';
import type { Response } from 'express';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { baseUrl } from '../../http/paths';
import type { ContextRequest } from '../../http/request-context';
import { BrowserSessions } from '../../sessions/browser-sessions';
import { LoginProviders, LoginRefused, ProviderAway } from '../../sessions/login-providers';
import type { Page, Redirect } from '../layout/page';
import { LoginService } from './login.service';
import { doorOf, ProviderUsers } from './provider-users';

const NOT_BEGUN = 'This login started in another browser or has expired. Please log in again.';

/** Logs users in with a login provider. */
@Injectable()
export class ProviderLoginService {
  constructor(
    private readonly providers: LoginProviders,
    private readonly sessions: BrowserSessions,
    private readonly users: ProviderUsers,
    private readonly logins: LoginService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /**
   * Redirects a browser to a provider.
   * @param next the path to open after the login
   * @throws Problem 404 when the provider is unknown
   */
  async startLogin(
    id: string,
    next: string,
    request: ContextRequest,
    response: Response,
  ): Promise<Page | Redirect> {
    const provider = this.providers.findProvider(id);
    try {
      const { url, login } = await this.providers.startLogin(provider, this.callbackUrl(id, request));
      await this.sessions.remember(request, response, { ...login, next });
      return { redirectTo: url };
    } catch (error) {
      return this.refusalPage(error, provider, next, request, response);
    }
  }

  /**
   * Finishes a login after the provider has sent the browser back.
   * @param state the parameter `state` of the request
   * @throws Problem 404 when the provider is unknown
   */
  async completeLogin(
    id: string,
    state: unknown,
    request: ContextRequest,
    response: Response,
  ): Promise<Page | Redirect> {
    const provider = this.providers.findProvider(id);
    const login = typeof state === 'string' ? await this.sessions.recall(request, response, state) : null;
    try {
      if (login?.providerId !== id) throw new LoginRefused(NOT_BEGUN);
      const vouched = await this.providers.completeLogin(provider, this.returnedTo(id, request), login);
      const user = await this.users.userOf(vouched, provider, request);
      if (!user)
        throw new LoginRefused(`${provider.label} confirmed who you are, but you may not log in here.`);
      const door = { by: doorOf(provider), session: vouched.session };
      await this.logins.enter(user, door, request, response);
      return { redirectTo: login.next };
    } catch (error) {
      return this.refusalPage(error, provider, login?.next ?? '/', request, response);
    }
  }

  /** The login page, with the reason of the failure and the other ways to log in. */
  private async refusalPage(
    error: unknown,
    { label }: ProviderSection,
    next: string,
    request: ContextRequest,
    response: Response,
  ): Promise<Page> {
    const isAway = error instanceof ProviderAway;
    if (!isAway && !(error instanceof LoginRefused)) throw error;
    response.status(isAway ? 503 : 403);
    const reason = isAway ? `${label} cannot be reached. Try again later.` : error.message;
    return this.logins.page(request, response, next, reason);
  }

  private callbackUrl(id: string, request: ContextRequest): string {
    return `${baseUrl(request, this.configuration.server.publicUrl)}/user/login/${id}/callback`;
  }

  private returnedTo(id: string, request: ContextRequest): URL {
    const query = request.originalUrl.slice(request.originalUrl.indexOf('?'));
    return new URL(this.callbackUrl(id, request) + query);
  }
}
