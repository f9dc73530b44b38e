import { Injectable } from '@nestjs/common';
import { BrokenOff, Cancellations, Decisions } from '@proctor/database';
import type { Requestor, RunSelection } from '@proctor/database';
import { OrderSignal } from '../dispatchers/order-signal';
import { News } from './result-long-poll';
import type { PriorityRequest, SelectionRequest } from './many-runs.dto';
import { selectionOf } from './selection';

/**
 * Changes all runs that a request selects. Runs that its requestor may not change are neither touched nor counted nor
 * named.
 */
@Injectable()
export class ManyRunsService {
  constructor(
    private readonly cancellations: Cancellations,
    private readonly decisions: Decisions,
    private readonly signal: OrderSignal,
    private readonly news: News,
  ) {}

  /**
   * Ends unfinished runs in the books at once; their slots are stopped by the dispatchers.
   * @throws Problem 400, 403: nothing was cancelled; BrokenOff
   */
  async cancel(asked: SelectionRequest, requestor: Requestor): Promise<{ cancelled: number[] }> {
    const cancelled = await this.change(
      selectionOf(asked, requestor),
      (selection) => this.cancellations.cancelMatching(selection, requestor, asked.reason),
      () => this.news.tell(),
    );
    return { cancelled };
  }

  /**
   * Gives waiting runs another priority.
   * @throws Problem 400, 403: nothing was changed; BrokenOff
   */
  async reprioritise(asked: PriorityRequest, requestor: Requestor): Promise<{ changed: number[] }> {
    const { priority, reason } = asked;
    const changed = await this.change(selectionOf(asked, requestor), (selection) =>
      this.decisions.reprioritise(selection, priority, requestor, reason),
    );
    return { changed };
  }

  /** Tells others of what was changed also when the rest was not. */
  private async change(
    selection: RunSelection | null,
    commit: (selection: RunSelection) => Promise<number[]>,
    tell = (): void => undefined,
  ): Promise<number[]> {
    if (!selection) return [];
    const told = (runIds: number[]): number[] => {
      if (runIds.length === 0) return runIds;
      this.signal.send(selection.arch ?? null);
      tell();
      return runIds;
    };
    return commit(selection).then(told, (error: unknown) => {
      if (error instanceof BrokenOff) told(error.done);
      throw error;
    });
  }
}
