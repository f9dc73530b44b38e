import { systemClock } from '@proctor/clock';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { comeBack } from './problem';
import { CountedWindows } from './counted-windows';

interface Limits {
  perSecond: number;
  perMinute: number;
}

/** Limits the requests of one client. Each api process counts its own requests in memory. */
abstract class RateLimit {
  private readonly perSecond = new CountedWindows(1_000, systemClock);
  private readonly perMinute = new CountedWindows(60_000, systemClock);

  /** @param what the name of the counted requests, for people */
  protected constructor(
    private readonly what: string,
    private readonly limits: () => Limits,
  ) {}

  /**
   * Counts one request.
   * @param client its identity
   * @throws Problem 429 with Retry-After for too many requests
   */
  count(client: string): void {
    const { perSecond, perMinute } = this.limits();
    this.refuse(perMinute, 'minute', this.perMinute.add(client, perMinute));
    this.refuse(perSecond, 'second', this.perSecond.add(client, perSecond));
  }

  private refuse(countMax: number, span: string, restMs: number): void {
    if (restMs === 0) return;
    throw comeBack(
      429,
      `There were more than ${countMax} ${this.what} within a ${span}; nothing was changed.`,
      restMs,
    );
  }
}

/** The limit for requests with a key or a password, by key or user, from any network. */
@Injectable()
export class KnownRateLimit extends RateLimit {
  constructor(@Inject(CONFIGURATION) configuration: ApiConfiguration) {
    super('requests', () => ({
      perSecond: configuration.server.requestsPerSecondMax,
      perMinute: configuration.server.requestsPerMinuteMax,
    }));
  }
}

/** The limit for all other requests, by network. */
@Injectable()
export class AnonymousRateLimit extends RateLimit {
  constructor(@Inject(CONFIGURATION) configuration: ApiConfiguration) {
    super('requests without a key', () => ({
      perSecond: configuration.server.anonymousRequestsPerSecondMax,
      perMinute: configuration.server.anonymousRequestsPerMinuteMax,
    }));
  }
}
