import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { comeBack } from '../http/problem';
import { networkOf } from './network-of';

const HOUR_SECONDS = 3_600;
/** How much more an address may guess over all users than for one: people share addresses. */
const USERS_PER_ADDRESS = 10;

/**
 * Limits the guessing of passwords: for one user from one address, so that nobody locks somebody else out from
 * elsewhere, and from one address over all users. Counted in memory of each process.
 */
@Injectable()
export class GuessLimit {
  private readonly ofUser = new RateLimiterMemory({ points: 1, duration: HOUR_SECONDS });
  private readonly ofAddress = new RateLimiterMemory({ points: 1, duration: HOUR_SECONDS });

  constructor(@Inject(CONFIGURATION) private readonly configuration: ApiConfiguration) {}

  /**
   * @param check answers null for a wrong password. A guess counts before it is checked, so that many at once are no
   *   way round the limit; a right one is forgotten.
   * @throws Problem 429 that says when to come back; the password was not looked at then
   */
  async limited<T>(name: string, address: string, check: () => Promise<T | null>): Promise<T | null> {
    const network = networkOf(address);
    // A name may be as long as a header: its digest is not.
    const user = createHash('sha256').update(`${network} ${name}`).digest('base64');
    this.ofUser.points = this.configuration.server.passwordGuessesPerHourMax;
    this.ofAddress.points = this.ofUser.points * USERS_PER_ADDRESS;
    await spend(this.ofAddress, network);
    await spend(this.ofUser, user);
    const found = await check().catch(async (error: unknown) => {
      // What could not be checked was no guess.
      await Promise.all([this.ofUser.reward(user), this.ofAddress.reward(network)]);
      throw error;
    });
    if (found !== null) await Promise.all([this.ofUser.delete(user), this.ofAddress.reward(network)]);
    return found;
  }
}

async function spend(limiter: RateLimiterMemory, who: string): Promise<void> {
  try {
    await limiter.consume(who);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    throw comeBack(429, 'There were too many wrong passwords.', refusal.msBeforeNext);
  }
}
