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
   * Finishes runs at once in the database; their slots are stopped by the dispatchers.
   * @param keyId only runs of this API key; null: everyone's
   * @returns their ids, ascending
   * @throws Refusal: nothing was cancelled; BrokenOff, DatabaseUnavailable
   */
  cancel(asked: Selection, by: Canceller, keyId: number | null): Promise<number[]> {
    return this.change(
      selectionOf(asked, keyId),
      (selection) => this.cancellations.cancelMatching(selection, by, asked.reason),
      () => this.signals.results(),
    );
  }

  /**
   * Gives waiting runs another priority.
   * @param keyId as of cancel()
   * @returns the ids of those that had another one, ascending
   * @throws Refusal: nothing was changed; BrokenOff, DatabaseUnavailable
   */
  reprioritise(asked: Selection, priority: number, by: Canceller, keyId: number | null): Promise<number[]> {
    return this.change(selectionOf(asked, keyId), (selection) =>
      this.decisions.reprioritise(selection, priority, by, asked.reason),
    );
  }

  /**
   * What cancel() would do now.
   * @throws Refusal
   */
  async previewOfCancel(asked: Selection, keyId: number | null): Promise<SelectedCount[]> {
    const selection = selectionOf(asked, keyId);
    return selection ? this.cancellations.countMatching(selection) : [];
  }

  /**
   * What reprioritise() would do now.
   * @throws Refusal
   */
  async previewOfReprioritise(
    asked: Selection,
    priority: number,
    keyId: number | null,
  ): Promise<SelectedCount[]> {
    const selection = selectionOf(asked, keyId);
    return selection ? this.decisions.countReprioritised(selection, priority) : [];
  }

  /** Sends signals for what was changed, also when the rest was not. */
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
      if (error instanceof BrokenOff) await withSignals(error.done);
      throw error;
    });
  }
}

const SELECTORS = ['run_ids', 'package', 'trigger', 'suite', 'arch'] as const;

/**
 * The runs that a request means; null when it names runs that cannot be.
 * @throws InvalidRequest when nothing is selected by
 */
function selectionOf(asked: Selection, keyId: number | null): RunSelection | null {
  const { run_ids: runIds, package: packageName, trigger, suite, arch } = asked;
  if (SELECTORS.every((key) => asked[key] === undefined)) {
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
