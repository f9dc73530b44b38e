import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { comeBack } from './problem';
import { Semaphore } from './semaphore';
import type { Release } from './semaphore';

/** Limits the memory of all bodies together: a body waits for free memory before its first byte is read. */
@Injectable()
export class BodyMemoryLimit {
  private readonly room: Semaphore;

  constructor(@Inject(CONFIGURATION) private readonly configuration: ApiConfiguration) {
    this.room = new Semaphore(() => configuration.server.bodiesBytesMax);
  }

  /**
   * Reserves memory for the request's body until its response ends, or until it is released.
   * @param bytesMax the limit of its handler
   * @throws Problem 503 if not enough memory came free in time
   */
  async enter(request: Request, response: Response, bytesMax: number): Promise<Release> {
    const { bodyWaitMs } = this.configuration.server;
    const bytes = bodySize(request) ?? bytesMax;
    // A body whose announced size is too large is refused without being read.
    if (bytes === 0 || bytes > bytesMax) return () => undefined;
    const release = await this.room.acquire(bytes, bodyWaitMs);
    if (!release) {
      throw comeBack(503, 'The server has too many large requests to read; nothing was changed.', bodyWaitMs);
    }
    if (response.closed) release();
    else response.once('close', release);
    return release;
  }
}

/** The size of the body in memory; null if it is unknown, in chunks or compressed. */
function bodySize(request: Request): number | null {
  const {
    'content-encoding': encoding,
    'transfer-encoding': chunked,
    'content-length': length,
  } = request.headers;
  if (chunked !== undefined) return null;
  if (length === undefined) return 0;
  return encoding === undefined || encoding === 'identity' ? Number(length) : null;
}
