import { Inject, Injectable } from '@nestjs/common';
import type { ConfigurationStatus } from '@proctor/config';
import type { Request, Response } from 'express';
import { CONFIGURATION_STATUS } from '../configuration.token';
import { DATABASE_LIMITS } from '@proctor/database';

/** The headers for caches: how long they may store an answer of the public data, and its age. */
@Injectable()
export class PublicCache {
  constructor(
    @Inject(CONFIGURATION_STATUS) private readonly configurationStatus: () => ConfigurationStatus,
  ) {}

  /**
   * No answer is older than the configuration in use, and a new release reads the configuration again: both may
   * change the answer for the same rows. If the request has only a time as its condition, and rows of that time may
   * still appear, the condition is removed, so that the answer is complete.
   * @param updates of the rows of the answer; the newest counts: an old run may have been published recently
   * @param maxAgeSeconds 0: caches must ask each time, which costs a 304 while nothing changed
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

/** The header `Last-Modified`, and whether it is reliable yet. */
export interface LastModified {
  header: string;
  /** Whether all rows up to that time are visible; otherwise "not modified since" is unknown. */
  isSettled: boolean;
}

/**
 * The `Last-Modified` for clients that use only this header. It has whole seconds, and a row becomes visible only at
 * the end of its transaction, after its time. So the header is the time of the newest row plus the maximum time of a
 * transaction; until then it is the present second.
 * @param newest the latest `updatedAt` of the rows
 */
export function lastModified(newest: Date, now: Date): LastModified {
  const settled = Math.ceil((newest.getTime() + DATABASE_LIMITS.transactionTimeoutMs) / 1000) * 1000;
  const isSettled = settled <= now.getTime();
  return { header: new Date(isSettled ? settled : now).toUTCString(), isSettled };
}
