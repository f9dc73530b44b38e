import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import onHeaders from 'on-headers';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { comeBack } from './problem';
import { whenNothingIsRead } from './reading';
import { Semaphore } from './semaphore';

/**
 * Limits how many requests without a key are answered at the same time, so that the process has time for the others.
 * Sending does not count: a slow reader delays no other client.
 */
@Injectable()
export class AnonymousPlaces {
  private readonly places: Semaphore;
  private waiting = 0;

  constructor(@Inject(CONFIGURATION) private readonly configuration: ApiConfiguration) {
    this.places = new Semaphore(() => this.configuration.server.anonymousRequestsAtOnceMax);
  }

  /**
   * Resolves when work on the request may start.
   * @throws Problem 503 if too many requests wait already, or this one has waited too long
   */
  async enter(response: Response): Promise<void> {
    const { anonymousRequestsWaitingMax, anonymousWaitMs } = this.configuration.server;
    if (this.waiting >= anonymousRequestsWaitingMax) throw tooMany(anonymousWaitMs);
    this.waiting += 1;
    const leave = await this.places.acquire(1, anonymousWaitMs).finally(() => (this.waiting -= 1));
    if (!leave) throw tooMany(anonymousWaitMs);
    onHeaders(response, leave);
    // The client may disconnect before the answer; its reads may end later.
    if (response.closed) leave();
    else response.once('close', whenNothingIsRead(leave));
  }
}

function tooMany(waitMs: number) {
  return comeBack(503, 'Too many requests without a key are being answered.', waitMs);
}
