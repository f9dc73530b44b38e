import { Inject, Injectable } from '@nestjs/common';
import { PRIORITY_MAX, PRIORITY_MIN } from '@proctor/contracts';
import { BrokenOff, Cancellations, Decisions } from '@proctor/database';
import type { Requestor, RunSelection } from '@proctor/database';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { OrderSignal } from '../dispatchers/order-signal';
import { refused } from '../http/problem';
import { News } from '../results/news';
import { optionalPriority } from '../submission/priority';
import type { Parameters } from '../transport/parameters';
import { selectionOf } from './selection';
import type { Selected } from './selection';

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
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /**
   * Ends unfinished runs in the books at once; their slots are stopped by the dispatchers.
   * @throws Problem 400, 403, 413: nothing was cancelled; BrokenOff
   */
  async cancel(parameters: Parameters, requestor: Requestor): Promise<{ cancelled: number[] }> {
    const selected = this.selected(parameters, requestor);
    const cancelled = await this.change(
      selected,
      (selection) => this.cancellations.cancelMatching(selection, requestor, selected.reason),
      () => this.news.tell(),
    );
    return { cancelled };
  }

  /**
   * Gives waiting runs another priority.
   * @throws Problem 400, 403, 413: nothing was changed; BrokenOff
   */
  async reprioritise(parameters: Parameters, requestor: Requestor): Promise<{ changed: number[] }> {
    const priority = optionalPriority(parameters.get('priority'));
    if (priority === undefined) {
      const range = `from ${PRIORITY_MIN} to ${PRIORITY_MAX}`;
      throw refused(`priority is missing: it is a whole number ${range}.`, null);
    }
    const selected = this.selected(parameters, requestor, ['priority']);
    const changed = await this.change(selected, (selection) =>
      this.decisions.reprioritise(selection, priority, requestor, selected.reason),
    );
    return { changed };
  }

  private selected(parameters: Parameters, requestor: Requestor, others: string[] = []): Selected {
    return selectionOf(parameters, requestor, this.configuration.server.itemsPerRequestMax, others);
  }

  /** Tells others of what was changed also when the rest was not. */
  private async change(
    { selection }: Selected,
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
