import { type TriggerAction } from '@proctor/resources';
import { Inject, Injectable } from '@nestjs/common';
import { ManyRuns } from '@proctor/administration';
import {
  asOneRequest,
  DatabaseUnavailable,
  REFERENCE_TRIGGER,
  type Requestor,
  type RunOfTrigger,
  TriggerRuns,
} from '@proctor/database';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { Problem } from '../http/problem';
import { type RetryAnswer, RetryService } from './retry.service';
import { BatchPipe } from './submission.pipes';
import { type SubmissionAnswer, SubmissionService } from './submission.service';
import {
  cancelPlan,
  placeOf,
  refreshPlan,
  type RefusedRun,
  retryPlan,
  selectedTests,
  type TriggerPlan,
  type TriggerSelection,
} from './trigger-plan';
import type { TriggerTest } from './trigger-groups';

/** The effects of an action on runs of a trigger. */
export interface TriggerPreview extends TriggerPlan {
  /** The usual duration of all its tests together, as far as it is known. */
  seconds: number;
  /** The number of its tests without a known duration. */
  unknown: number;
}

/** The outcome of an action. */
export interface TriggerOutcome {
  outcomes: {
    run: RunOfTrigger;
    /** The run that was made; null of a cancellation. */ newRunId: number | null;
  }[];
  refused: RefusedRun[];
  leftOut: number;
}

/** Changes many runs of a trigger, each like a single run; refused ones are named one by one. */
@Injectable()
export class TriggerActions {
  constructor(
    private readonly triggerRuns: TriggerRuns,
    private readonly retries: RetryService,
    private readonly submissions: SubmissionService,
    private readonly manyRuns: ManyRuns,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** @param tests all tests of the trigger that the requestor may see */
  async preview(
    action: TriggerAction,
    tests: TriggerTest[],
    selection: TriggerSelection,
    requestor: Requestor,
  ): Promise<TriggerPreview> {
    const plan = await this.plan(action, tests, selection, requestor);
    const medians = await this.triggerRuns.medianSeconds(plan.runs);
    const lengths = plan.runs.map((run, place) => medians[place] ?? run.durationSeconds);
    return {
      ...plan,
      seconds: lengths.reduce<number>((sum, seconds) => sum + (seconds ?? 0), 0),
      unknown: lengths.filter((seconds) => seconds === null).length,
    };
  }

  /**
   * @param reason of a cancellation, for people
   * @throws DatabaseUnavailable if nothing was changed, else BrokenOff or the refusal behind it
   */
  async execute(
    action: TriggerAction,
    tests: TriggerTest[],
    selection: TriggerSelection,
    requestor: Requestor,
    reason?: string,
  ): Promise<TriggerOutcome> {
    const { runs, refused, leftOut } = await this.plan(action, tests, selection, requestor);
    const outcome: TriggerOutcome = { outcomes: [], refused, leftOut };
    if (runs.length === 0) return outcome;
    if (action === 'retry') await this.retry(runs, requestor, outcome);
    else if (action === 'refresh') await this.refresh(runs, requestor, outcome);
    else await this.cancel(runs, requestor, reason, outcome);
    return outcome;
  }

  private async plan(
    action: TriggerAction,
    tests: TriggerTest[],
    selection: TriggerSelection,
    requestor: Requestor,
  ): Promise<TriggerPlan> {
    const selected = selectedTests(tests, selection).map(({ run }) => run);
    const first = selected.slice(0, this.configuration.server.bulkRunsMax);
    const leftOut = selected.length - first.length;
    const runs = await this.triggerRuns.whole(first);
    if (action === 'retry') return { ...retryPlan(runs, requestor, this.configuration), leftOut };
    if (action === 'cancel') return { ...cancelPlan(runs, requestor), leftOut };
    const unfinished = await this.triggerRuns.unfinishedReferences(runs);
    return { ...refreshPlan(runs, unfinished, this.configuration), leftOut };
  }

  private async retry(runs: RunOfTrigger[], requestor: Requestor, outcome: TriggerOutcome): Promise<void> {
    for (const run of runs) {
      try {
        // Each retry is a separate change with its own time limit.
        const answer = await asOneRequest(() => this.retries.retry(run.runId, requestor, null));
        outcome.outcomes.push({ run, newRunId: (answer as RetryAnswer).run_id });
      } catch (error) {
        outcome.refused.push({ run, reason: reasonOf(error, outcome) });
      }
    }
  }

  private async refresh(runs: RunOfTrigger[], requestor: Requestor, outcome: TriggerOutcome): Promise<void> {
    const batch = runs.map((run) => {
      return {
        suite: run.suite,
        arch: run.arch,
        tests: [{ package: run.package, trigger: REFERENCE_TRIGGER }],
      };
    });
    const parameters = new Map([['tests', { value: batch, isText: false, pointer: '#/tests' }]]);
    const submitted = await new BatchPipe(this.configuration).transform(parameters);
    const answer = (await this.submissions.submit(submitted, requestor, null)) as SubmissionAnswer;
    const newRunIds = new Map(answer.runs.map((run) => [placeOf(run), run.run_id]));
    for (const run of runs) {
      const newRunId = newRunIds.get(placeOf(run));
      if (newRunId === undefined) outcome.refused.push({ run, reason: 'It is on the reject list.' });
      else outcome.outcomes.push({ run, newRunId });
    }
  }

  private async cancel(
    runs: RunOfTrigger[],
    requestor: Requestor,
    reason: string | undefined,
    outcome: TriggerOutcome,
  ): Promise<void> {
    const selection = { run_ids: runs.map(({ runId }) => runId), ...(reason !== undefined && { reason }) };
    const cancelled = new Set(await this.manyRuns.cancel(selection, requestor, null));
    for (const run of runs) {
      if (cancelled.has(run.runId)) outcome.outcomes.push({ run, newRunId: null });
      else outcome.refused.push({ run, reason: 'It has finished.' });
    }
  }
}

/** @throws any error that is no refusal of this run */
function reasonOf(error: unknown, { outcomes }: TriggerOutcome): string {
  if (error instanceof Problem && error.status < 500) return error.detail;
  if (error instanceof DatabaseUnavailable && outcomes.length > 0)
    return 'The database did not answer; ask for it again.';
  throw error;
}
