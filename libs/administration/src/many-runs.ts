import { Injectable } from '@nestjs/common';
import { isRunId } from '@proctor/contracts';
import {
  BrokenOff,
  Cancellations,
  type Canceller,
  Decisions,
  type RunSelection,
  type SelectedCount,
} from '@proctor/database';
import { Signals } from './ports';
import { InvalidRequest, type Selection } from './requests';

/** Changes all selected runs that the user may change. */
@Injectable()
export class ManyRuns {
  constructor(
    private readonly cancellations: Cancellations,
    private readonly decisions: Decisions,
    private readonly signals: Signals,
  ) {}

  /**
   * Finishes runs at once in the database; the dispatchers stop their slots.
   * @param keyId only runs of this API key; null: everyone's
   * @returns their ids, ascending
   * @throws Refusal if the request is not allowed: nothing was cancelled then; BrokenOff if some runs were cancelled;
   * DatabaseUnavailable if none was
   */
  cancel(request: Selection, by: Canceller, keyId: number | null): Promise<number[]> {
    return this.change(
      selectionOf(request, keyId),
      (selection) => this.cancellations.cancelMatching(selection, by, request.reason),
      () => this.signals.results(),
    );
  }

  /**
   * Sets the priority of waiting runs.
   * @param keyId only runs of this API key; null: everyone's
   * @returns the ids of the runs that had another priority, ascending
   * @throws Refusal if the request is not allowed: nothing was changed then; BrokenOff if some runs were changed;
   * DatabaseUnavailable if none was
   */
  reprioritise(request: Selection, priority: number, by: Canceller, keyId: number | null): Promise<number[]> {
    return this.change(selectionOf(request, keyId), (selection) =>
      this.decisions.reprioritise(selection, priority, by, request.reason),
    );
  }

  /** The number of runs that `cancel` would change now. @throws Refusal if the request is not allowed */
  async previewOfCancel(request: Selection, keyId: number | null): Promise<SelectedCount[]> {
    const selection = selectionOf(request, keyId);
    return selection ? this.cancellations.countMatching(selection) : [];
  }

  /** The number of runs that `reprioritise` would change now. @throws Refusal if the request is not allowed */
  async previewOfReprioritise(
    request: Selection,
    priority: number,
    keyId: number | null,
  ): Promise<SelectedCount[]> {
    const selection = selectionOf(request, keyId);
    return selection ? this.decisions.countReprioritised(selection, priority) : [];
  }

  /** Sends signals for the changed runs, even if the others failed. */
  private async change(
    selection: RunSelection | null,
    commit: (selection: RunSelection) => Promise<number[]>,
    notifyOthers = (): void | Promise<void> => undefined,
  ): Promise<number[]> {
    if (!selection) return [];
    const withSignals = async (runIds: number[]): Promise<number[]> => {
      if (runIds.length === 0) return runIds;
      await this.signals.orders(selection.arch ?? null);
      await notifyOthers();
      return runIds;
    };
    return commit(selection).then(withSignals, async (error: unknown) => {
      if (error instanceof BrokenOff) await withSignals(error.changedIds);
      throw error;
    });
  }
}

const SELECTORS = ['run_ids', 'package', 'trigger', 'suite', 'arch'] as const;

/**
 * The runs that a request means; null when it names runs that cannot be.
 * @throws InvalidRequest when nothing is selected by
 */
function selectionOf(request: Selection, keyId: number | null): RunSelection | null {
  const { run_ids: runIds, package: packageName, trigger, suite, arch } = request;
  if (SELECTORS.every((key) => request[key] === undefined)) {
    throw new InvalidRequest(`at least one of ${SELECTORS.join(', ')} is needed to say which runs are meant`);
  }
  const possible = runIds?.filter(isRunId);
  if (possible?.length === 0) return null;
  return {
    ...(possible && { runIds: [...new Set(possible)] }),
    ...(packageName !== undefined && { package: packageName }),
    ...(trigger !== undefined && { trigger }),
    ...(suite !== undefined && { suite }),
    ...(arch !== undefined && { arch }),
    ...(keyId !== null && { keyId }),
  };
}
