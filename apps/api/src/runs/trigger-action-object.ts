import type { RunOfTrigger } from '@proctor/database';
import type {
  ManyRunsAnswerResource,
  RefusedRunResource,
  SubmittedRun,
  TriggerAction,
} from '@proctor/resources';
import type { TriggerOutcome, TriggerPreview } from './trigger-actions.service';
import type { RefusedRun } from './trigger-plan';

/** The effects of an action in the form of the API. */
export function previewObject(
  trigger: string,
  action: TriggerAction,
  { runs, refused, leftOut, seconds, unknown }: TriggerPreview,
): ManyRunsAnswerResource {
  return {
    trigger,
    action,
    is_dry_run: true,
    runs: runs.map((run) => ({ ...runObject(run), new_run_id: null })),
    refused: refused.map(refusedObject),
    left: leftOut,
    estimate: { seconds, without: unknown },
  };
}

/** The outcome of an action in the form of the API. */
export function outcomeObject(
  trigger: string,
  action: TriggerAction,
  { outcomes, refused, leftOut }: TriggerOutcome,
): ManyRunsAnswerResource {
  return {
    trigger,
    action,
    is_dry_run: false,
    runs: outcomes.map(({ run, newRunId }) => ({ ...runObject(run), new_run_id: newRunId })),
    refused: refused.map(refusedObject),
    left: leftOut,
    estimate: null,
  };
}

function runObject({ runId, package: name, suite, arch }: RunOfTrigger): SubmittedRun {
  return { run_id: runId, package: name, suite, arch };
}

function refusedObject({ run, reason }: RefusedRun): RefusedRunResource {
  return { ...runObject(run), reason };
}
