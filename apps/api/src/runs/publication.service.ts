import { Injectable } from '@nestjs/common';
import { BrokenOff, DatabaseUnavailable, OwnRuns, Publications } from '@proctor/database';
import type { Requestor } from '@proctor/database';
import { OrderSignal } from '../dispatchers/order-signal';
import { ResultLongPoll } from './result-long-poll';

/** Run ids. Ignored ids are of public runs, runs of other keys, or no runs: the answer does not say which. */
export interface PublicationAnswer {
  published: number[];
  ignored: number[];
}

@Injectable()
export class PublicationService {
  constructor(
    private readonly publications: Publications,
    private readonly ownRuns: OwnRuns,
    private readonly longPoll: ResultLongPoll,
    private readonly signal: OrderSignal,
  ) {}

  /**
   * @param runIds integers without repetition
   * @throws DatabaseUnavailable if none was published; BrokenOff after a part
   */
  async publish(runIds: number[], requestor: Requestor): Promise<PublicationAnswer> {
    const possible = runIds.filter((id) => id > 0);
    const published: number[] = [];
    try {
      for (const keyId of await this.keysOf(possible, requestor))
        published.push(...(await this.publications.publish(possible, keyId, requestor.address)));
    } catch (error) {
      throw error instanceof DatabaseUnavailable && published.length > 0
        ? new BrokenOff(published, error)
        : error;
    } finally {
      if (published.length > 0) this.notify();
    }
    const publishedIds = new Set(published);
    return { published, ignored: runIds.filter((id) => !publishedIds.has(id)) };
  }

  private notify(): void {
    this.longPoll.notify();
    this.signal.send(null);
  }

  /** On pages, runs of all keys of the user are selected. */
  private async keysOf(runIds: number[], { keyId, userId, isOnPages }: Requestor): Promise<number[]> {
    if (runIds.length === 0) return [];
    return isOnPages ? this.ownRuns.keysOf(userId, runIds) : [keyId];
  }
}
