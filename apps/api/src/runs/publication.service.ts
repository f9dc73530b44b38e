import { Injectable } from '@nestjs/common';
import { Publications } from '@proctor/database';
import type { Requestor } from '@proctor/database';
import { OrderSignal } from '../dispatchers/order-signal';
import { ResultLongPoll } from './result-long-poll';

/** Run ids. What is ignored is public already, another key's, or no run: the answer does not say which. */
export interface PublicationAnswer {
  published: number[];
  ignored: number[];
}

@Injectable()
export class PublicationService {
  constructor(
    private readonly publications: Publications,
    private readonly longPoll: ResultLongPoll,
    private readonly signal: OrderSignal,
  ) {}

  /** @param runIds integers, each once */
  async publish(runIds: number[], requestor: Requestor): Promise<PublicationAnswer> {
    const possible = runIds.filter((id) => id > 0);
    const published = possible.length > 0 ? await this.publications.publish(possible, requestor.keyId) : [];
    if (published.length > 0) {
      this.longPoll.notify();
      this.signal.send(null);
    }
    const changed = new Set(published);
    return { published, ignored: runIds.filter((id) => !changed.has(id)) };
  }
}
