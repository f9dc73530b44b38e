import { Inject, Injectable } from '@nestjs/common';
import type { ConfigurationStatus } from '@proctor/config';
import type { Request, Response } from 'express';
import { CONFIGURATION_STATUS } from '../configuration.token';
import { DATABASE_LIMITS } from '@proctor/database';

/** The headers that say how long an answer of the public data may be kept, and how old it is. */
@Injectable()
export class PublicCache {
  constructor(
    @Inject(CONFIGURATION_STATUS) private readonly configurationStatus: () => ConfigurationStatus,
  ) {}

  /**
   * No answer is older than the configuration in use, which another release reads again: both may make something else of
   * the same rows. A request with the time alone as its condition gets a whole answer while rows of that time may
   * still appear: the condition is taken away.
   * @param updates of the rows that it was made from; the newest counts: an old run may have been published lately
   * @param maxAgeSeconds 0: it must be asked for again each time, which costs a 304 while nothing changed
   */
  headers(request: Request, updates: Date[], maxAgeSeconds: number): Record<string, string> {
    const { loadedAt } = this.configurationStatus();
    const newest = updates.reduce((latest, update) => (update > latest ? update : latest), loadedAt);
    const { header, isSettled } = lastModified(newest, new Date());
    if (!isSettled) delete request.headers['if-modified-since'];
    return {
      'Cache-Control': maxAgeSeconds > 0 ? `public, max-age=${maxAgeSeconds}` : 'public, no-cache',
      'Last-Modified': header,
    };
  }

  mark(response: Response, updates: Date[], maxAgeSeconds: number): void {
    response.set(this.headers(response.req, updates, maxAgeSeconds));
  }
}

/** The header `Last-Modified`, and whether it can be relied upon yet. */
export interface LastModified {
  header: string;
  /** Whether every row of that time and before is visible: else "not modified since" is not known. */
  isSettled: boolean;
}

/**
 * The `Last-Modified` for clients that use this header alone. It has whole seconds, and a row can become visible
 * until its transaction ends, after the time in the row. So the header is the time of the newest row plus the longest
 * time of a transaction; until that moment it is the present second.
 * @param newest the latest `updatedAt` of the rows
 */
export function lastModified(newest: Date, now: Date): LastModified {
  const settled = Math.ceil((newest.getTime() + DATABASE_LIMITS.transactionTimeoutMs) / 1000) * 1000;
  const isSettled = settled <= now.getTime();
  return { header: new Date(isSettled ? settled : now).toUTCString(), isSettled };
}
