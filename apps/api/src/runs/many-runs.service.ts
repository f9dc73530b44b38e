import { Injectable } from '@nestjs/common';
import { BrokenOff, Cancellations, Decisions } from '@proctor/database';
import type { Requestor, RunSelection } from '@proctor/database';
import { OrderSignal } from '../dispatchers/order-signal';
import { ResultLongPoll } from './result-long-poll';
import type { PriorityRequest, SelectionRequest } from './changes.dto';
import { isRunId } from '@proctor/contracts';
import { badRequest, Problem } from '../http/problem';

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
    private readonly longPoll: ResultLongPoll,
  ) {}

  /**
   * Finishes runs at once in the database; their slots are stopped by the dispatchers.
   * @throws Problem 400, 403: nothing was cancelled; BrokenOff
   */
  async cancel(asked: SelectionRequest, requestor: Requestor): Promise<{ cancelled: number[] }> {
    const cancelled = await this.change(
      selectionOf(asked, requestor),
      (selection) => this.cancellations.cancelMatching(selection, requestor, asked.reason),
      () => this.longPoll.notify(),
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

const SELECTORS = ['run_ids', 'package', 'trigger', 'suite', 'arch'] as const;

/**
 * The runs that a request means; null when it names runs that cannot be.
 * @throws Problem 400 when nothing is selected by; 403 for everyone's without being an administrator
 */
function selectionOf(asked: SelectionRequest, requestor: Requestor): RunSelection | null {
  const { run_ids: runIds, package: packageName, trigger, suite, arch, everyone } = asked;
  if (SELECTORS.every((key) => asked[key] === undefined)) {
    throw badRequest(`At least one of ${SELECTORS.join(', ')} is needed to say which runs are meant.`);
  }
  if (everyone && !requestor.isAdmin) {
    throw new Problem(403, 'everyone is for administrators; without it, runs of the own key are meant.');
  }
  const possible = runIds?.filter(isRunId);
  if (possible?.length === 0) return null;
  return {
    ...(possible && { runIds: [...new Set(possible)] }),
    ...(packageName !== undefined && { package: packageName }),
    ...(trigger !== undefined && { trigger }),
    ...(suite !== undefined && { suite }),
    ...(arch !== undefined && { arch }),
    ...(!everyone && { keyId: requestor.keyId }),
  };
}
