import { Inject, Injectable } from '@nestjs/common';
import { systemClock } from '@proctor/clock';
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { comeBack } from '../http/problem';
import { CountedWindows } from '../http/counted-windows';
import { networkOf } from '../http/network-of';

const HOUR_MS = 3_600_000;
/** How many times more guesses an address has for all users than for one user: people share addresses. */
const USERS_PER_ADDRESS = 10;
/** How many times more guesses there may be for one user from everywhere than from one address. */
const ADDRESSES_PER_USER = 10;
/** How many pairs of user and network with a right password are remembered. */
const PROVEN_MAX = 10_000;

/**
 * Limits guesses of passwords: for one user from one network, from one network for all users, and for one user from
 * everywhere. The last limit does not apply to a user who has sent the right password from the same network before.
 * Each process counts in its memory.
 */
@Injectable()
export class GuessLimit {
  private readonly ofUser = new CountedWindows(HOUR_MS, systemClock);
  private readonly ofAddress = new CountedWindows(HOUR_MS, systemClock);
  private readonly ofName = new CountedWindows(HOUR_MS, systemClock);
  private readonly proven = new LRUCache<string, true>({ max: PROVEN_MAX });

  constructor(@Inject(CONFIGURATION) private readonly configuration: ApiConfiguration) {}

  /**
   * A guess counts before the check, so that many guesses at once do not get round the limit. A right password counts
   * as no guess.
   * @param check resolves with null for a wrong password
   * @throws Problem 429 with Retry-After; `check` was not called then
   */
  async withinLimit<T>(name: string, address: string, check: () => Promise<T | null>): Promise<T | null> {
    const network = networkOf(address);
    // A name may be as long as a header, so its digest is stored.
    const user = digestOf(`${network} ${name}`);
    const everywhere = digestOf(name);
    const guessesMax = this.configuration.server.passwordGuessesPerHourMax;
    refuse(this.ofAddress.add(network, guessesMax * USERS_PER_ADDRESS));
    refuse(this.ofUser.add(user, guessesMax));
    if (!this.proven.has(user)) refuse(this.ofName.add(everywhere, guessesMax * ADDRESSES_PER_USER));
    const holder = await check().catch((error: unknown) => {
      // A failed check counts as no guess.
      this.ofUser.uncount(user);
      this.ofAddress.uncount(network);
      if (!this.proven.has(user)) this.ofName.uncount(everywhere);
      throw error;
    });
    if (holder !== null) {
      this.ofUser.remove(user);
      this.ofAddress.uncount(network);
      if (!this.proven.has(user)) this.ofName.uncount(everywhere);
      this.proven.set(user, true);
    }
    return holder;
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function refuse(restMs: number): void {
  if (restMs > 0) throw comeBack(429, 'There were too many wrong passwords.', restMs);
}
