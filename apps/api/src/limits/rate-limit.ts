import { Inject, Injectable } from '@nestjs/common';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { comeBack } from '../http/problem';

/** Bounds the requests of one client. Counted in memory: each api process counts what comes to it. */
@Injectable()
export class RateLimit {
  private readonly perSecond = new RateLimiterMemory({ points: 1, duration: 1 });
  private readonly perMinute = new RateLimiterMemory({ points: 1, duration: 60 });

  constructor(@Inject(CONFIGURATION) private readonly configuration: ApiConfiguration) {}

  /**
   * Counts one request.
   * @param client an API key's id, or whatever else tells clients apart
   * @throws Problem 429 that says when to come back
   */
  async count(client: string): Promise<void> {
    const { requestsPerSecondMax, requestsPerMinuteMax } = this.configuration.server;
    await consume(this.perMinute, requestsPerMinuteMax, client, 'minute');
    await consume(this.perSecond, requestsPerSecondMax, client, 'second');
  }
}

async function consume(limiter: RateLimiterMemory, points: number, client: string, span: string) {
  limiter.points = points;
  try {
    await limiter.consume(client);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    const detail = `There were more than ${points} requests within a ${span}; nothing was changed.`;
    throw comeBack(429, detail, refusal.msBeforeNext);
  }
}
