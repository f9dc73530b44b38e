import { Inject, Injectable } from '@nestjs/common';
import { Users } from '@proctor/database';
import type { User } from '@proctor/database';
import type { Request } from 'express';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { comeBack, Problem } from '../http/problem';
import { KnownRateLimit } from '../http/rate-limit';
import { Semaphore } from '../http/semaphore';
import { basicCredentials } from './basic-credentials';
import type { BasicCredentials } from './basic-credentials';
import { GuessLimit } from './guess-limit';

/** How many passwords are checked at the same time: each needs a processor for a fifth of a second, and 64 MiB. */
const CHECKS_MAX = 2;
const CHECK_WAIT_MS = 5_000;

/** Authenticates users by HTTP basic authentication with their passwords. */
@Injectable()
export class PasswordCheck {
  private readonly checks = new Semaphore(() => CHECKS_MAX);

  constructor(
    private readonly users: Users,
    private readonly guesses: GuessLimit,
    private readonly rate: KnownRateLimit,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /**
   * @throws Problem 401 for an unknown user and for a wrong password alike; 403 if passwords are switched off; 429
   * for too many guesses; 503 if too many passwords are being checked
   */
  async userOf(request: Request): Promise<User> {
    this.requirePasswords();
    const credentials = basicCredentials(request.get('Authorization'));
    if (!credentials)
      throw unauthorized('A user name and a password are needed (HTTP basic authentication).');
    const user = await this.userWith(credentials, request.ip ?? '');
    if (!user) throw unauthorized('There is no such user, or the password is wrong.');
    return user;
  }

  /**
   * Finds the user by the name and password of a form.
   * @returns null for an unknown user and for a wrong password
   * @throws Problem 403 if passwords are switched off; 429 for too many guesses; 503 if too many passwords are being
   * checked
   */
  async userWith({ name, password }: BasicCredentials, address: string): Promise<User | null> {
    this.requirePasswords();
    const user = await this.guesses.withinLimit(name, address, () => this.check(name, password));
    if (user) this.rate.count(`user ${user.userId}`);
    return user;
  }

  private requirePasswords(): void {
    if (this.configuration.server.login.password) return;
    throw new Problem(
      403,
      'Passwords are not taken here: log in on the pages, by one of the login providers.',
    );
  }

  private async check(name: string, password: string): Promise<User | null> {
    const release = await this.checks.acquire(1, CHECK_WAIT_MS);
    if (!release) throw comeBack(503, 'Too many passwords are being checked.', CHECK_WAIT_MS);
    try {
      return await this.users.authenticate(name, password);
    } finally {
      release();
    }
  }
}

function unauthorized(detail: string): Problem {
  return new Problem(401, detail, {
    headers: { 'WWW-Authenticate': 'Basic realm="Proctor API keys", charset="UTF-8"' },
  });
}
