import { Inject, Injectable } from '@nestjs/common';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { comeBack } from '../http/problem';

interface Limits {
  perSecond: number;
  perMinute: number;
}

/** Bounds the requests of one client. Counted in memory: each api process counts what comes to it. */
abstract class RateLimit {
  private readonly perSecond = new RateLimiterMemory({ points: 1, duration: 1 });
  private readonly perMinute = new RateLimiterMemory({ points: 1, duration: 60 });

  /** @param what names the requests that are counted, for people */
  protected constructor(
    private readonly what: string,
    private readonly limits: () => Limits,
  ) {}

  /**
   * Counts one request.
   * @param client whatever tells clients apart
   * @throws Problem 429 that says when to come back
   */
  async count(client: string): Promise<void> {
    const { perSecond, perMinute } = this.limits();
    await this.consume(this.perMinute, perMinute, client, 'minute');
    await this.consume(this.perSecond, perSecond, client, 'second');
  }

  private async consume(limiter: RateLimiterMemory, points: number, client: string, span: string) {
    limiter.points = points;
    try {
      await limiter.consume(client);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const detail = `There were more than ${points} ${this.what} within a ${span}; nothing was changed.`;
      throw comeBack(429, detail, refusal.msBeforeNext);
    }
  }
}

/** For who has shown a key or a password: counted by key or user, wherever they are. */
@Injectable()
export class KnownRateLimit extends RateLimit {
  constructor(@Inject(CONFIGURATION) configuration: ApiConfiguration) {
    super('requests', () => ({
      perSecond: configuration.server.requestsPerSecondMax,
      perMinute: configuration.server.requestsPerMinuteMax,
    }));
  }
}

/** For everybody else: counted by network. */
@Injectable()
export class AnonymousRateLimit extends RateLimit {
  constructor(@Inject(CONFIGURATION) configuration: ApiConfiguration) {
    super('requests without a key', () => ({
      perSecond: configuration.server.anonymousRequestsPerSecondMax,
      perMinute: configuration.server.anonymousRequestsPerMinuteMax,
    }));
  }
}
