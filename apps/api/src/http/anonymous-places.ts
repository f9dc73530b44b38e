import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import onHeaders from 'on-headers';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { comeBack } from './problem';
import { whenNothingIsRead } from './reading';
import { Semaphore } from './semaphore';

/**
 * Bounds the requests without a key that are being answered at the same time, so that the process has time for those
 * with one. Sending is not counted: a slow reader keeps no other client waiting.
 */
@Injectable()
export class AnonymousPlaces {
  private readonly places: Semaphore;
  private waiting = 0;

  constructor(@Inject(CONFIGURATION) private readonly configuration: ApiConfiguration) {
    this.places = new Semaphore(() => this.configuration.server.anonymousRequestsAtOnceMax);
  }

  /**
   * Resolves when the request may be worked on.
   * @throws Problem 503 when too many wait already, or when it has waited too long
   */
  async enter(response: Response): Promise<void> {
    const { anonymousRequestsWaitingMax, anonymousWaitMs } = this.configuration.server;
    if (this.waiting >= anonymousRequestsWaitingMax) throw tooMany(anonymousWaitMs);
    this.waiting += 1;
    const leave = await this.places.acquire(1, anonymousWaitMs).finally(() => (this.waiting -= 1));
    if (!leave) throw tooMany(anonymousWaitMs);
    onHeaders(response, leave);
    // The client may have gone while it waited, or goes before there is an answer; what is read for it may end later.
    if (response.closed) leave();
    else response.once('close', whenNothingIsRead(leave));
  }
}

function tooMany(waitMs: number) {
  return comeBack(503, 'Too many requests without a key are being answered.', waitMs);
}
