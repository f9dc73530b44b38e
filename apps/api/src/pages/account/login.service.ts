import { IsStorableText, must } from '@proctor/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { AuditLog } from '@proctor/database';
import type { User } from '@proctor/database';
import { IsOptional, Length } from 'class-validator';
import type { Response } from 'express';
import { actorOf } from '../../auth/actor';
import { networkOf } from '../../http/network-of';
import { PasswordCheck } from '../../auth/password-check';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { Problem } from '../../http/problem';
import type { ContextRequest } from '../../http/request-context';
import { BrowserSessions } from '../../sessions/browser-sessions';
import type { ProviderSession } from '../../sessions/login-providers';
import { returnTo } from '../../sessions/return-to';
import type { Viewer } from '../../sessions/viewer';
import type { Page, Redirect } from '../layout/page';
import { estimateInWords } from '../layout/times';

const CREDENTIAL = must('be a text of at most 500 characters without NUL');

export class LoginForm {
  @Length(0, 500, CREDENTIAL)
  @IsStorableText(CREDENTIAL)
  name: string;

  @Length(0, 500, CREDENTIAL)
  @IsStorableText(CREDENTIAL)
  password: string;

  /** The path to open after the login. */
  @IsOptional()
  next?: unknown;
}

/** The way in which a user logged in. */
interface Door {
  /** The way in words, for the audit log. */
  by: string;
  session: ProviderSession | null;
}

/** Logs users in with a password, and logs users out. */
@Injectable()
export class LoginService {
  constructor(
    private readonly passwords: PasswordCheck,
    private readonly sessions: BrowserSessions,
    private readonly audit: AuditLog,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** The login page. @param reason why a provider refused the login */
  async page(
    request: ContextRequest,
    response: Response,
    next: string,
    reason: string | null = null,
  ): Promise<Page> {
    const formToken = await this.sessions.tokenBeforeLogin(request, response);
    const { anonymousMayRead: isOpen, login } = this.configuration.server;
    const { password: isByPassword, providers } = login;
    const doors = providers.map(({ id, label }) => ({ label, url: providerUrl(id, next) }));
    return { template: 'account/login', formToken, data: { next, reason, isOpen, isByPassword, doors } };
  }

  /** @throws Problem 403 where passwords are not taken, and for a wrong one; 429 after too many wrong ones; 503 */
  async login(form: LoginForm, request: ContextRequest, response: Response): Promise<Redirect> {
    const user = await this.passwords.userWith(form, request.ip ?? '').catch((error: unknown) => {
      throw error instanceof Problem && error.status === 429 ? inMinutes(error) : error;
    });
    if (!user) {
      await this.recordRefusal(form.name, 'password', request);
      throw new Problem(403, 'The user name or the password is wrong.');
    }
    await this.enter(user, { by: 'password', session: null }, request, response);
    return { redirectTo: returnTo(form.next) };
  }

  /** Gives the browser a session of the user. */
  async enter(user: User, { by, session }: Door, request: ContextRequest, response: Response): Promise<void> {
    await this.sessions.startSession(request, response, user, session);
    await this.audit.add({ action: 'login', subject: by, ...actorOf(user, request) });
  }

  /**
   * Records a refused login.
   * @param name the name as the user entered it
   */
  async recordRefusal(name: string, by: string, request: ContextRequest): Promise<void> {
    const address = networkOf(request.ip ?? '');
    await this.audit.addRefusedLogin({ userName: name, by, address });
  }

  /** Ends the session. The page links to the logout of the provider, because a form may not redirect to another site. */
  async logout({ user }: Viewer, request: ContextRequest, response: Response): Promise<Page | Redirect> {
    const session = await this.sessions.end(request, response);
    if (user) await this.audit.add({ action: 'logout', ...actorOf(user, request) });
    return session ? { template: 'account/logged-out', data: { session } } : { redirectTo: '/' };
  }
}

function inMinutes({ status, headers }: Problem): Problem {
  const wait = estimateInWords(Number(headers['Retry-After']));
  return new Problem(status, `Too many wrong passwords. Try again in ${wait}.`, { headers });
}

function providerUrl(id: string, next: string): string {
  return next === '/' ? `/user/login/${id}` : `/user/login/${id}?next=${encodeURIComponent(next)}`;
}
