import { Inject, Injectable } from '@nestjs/common';
import { Publications } from '@proctor/database';
import type { Requestor } from '@proctor/database';
import { OrderSignal } from '../dispatchers/order-signal';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { News } from '../results/news';
import type { Parameter } from '../transport/parameters';
import { runIdsOf } from './run-ids';

/** Run ids. What is ignored is public already, another key's, or no run: which of them is not told. */
export interface PublicationAnswer {
  published: number[];
  ignored: number[];
}

@Injectable()
export class PublicationService {
  constructor(
    private readonly publications: Publications,
    private readonly news: News,
    private readonly signal: OrderSignal,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** @throws Problem 400 for ids that are no integers: nothing was published */
  async publish(runIds: Parameter | undefined, requestor: Requestor): Promise<PublicationAnswer> {
    const asked = runIdsOf(runIds, this.configuration.server.itemsPerRequestMax);
    const possible = asked.filter((id) => id > 0);
    const published = possible.length > 0 ? await this.publications.publish(possible, requestor.keyId) : [];
    if (published.length > 0) {
      this.news.tell();
      this.signal.send(null);
    }
    const changed = new Set(published);
    return { published, ignored: asked.filter((id) => !changed.has(id)) };
  }
}
