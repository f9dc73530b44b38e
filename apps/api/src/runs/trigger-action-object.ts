import type { RunOfTrigger } from '@proctor/database';
import type { TriggerOutcome, TriggerPreview } from './trigger-actions.service';
import type { RefusedRun, TriggerAction } from './trigger-plan';

interface RunObject {
  run_id: number;
  package: string;
  suite: string;
  arch: string;
}

/** What was done to tests of a trigger, or would be, as the API tells it. */
export interface TriggerActionObject {
  trigger: string;
  action: TriggerAction;
  is_dry_run: boolean;
  /** `new_run_id`: null of a cancellation, and of what was not done. */
  runs: (RunObject & { new_run_id: number | null })[];
  refused: (RunObject & { reason: string })[];
  /** Tests beyond what one request may change. */
  left: number;
  estimate: { seconds: number; without: number } | null;
}

/** What would be done. */
export function previewObject(
  trigger: string,
  action: TriggerAction,
  { runs, refused, left, seconds, unknown }: TriggerPreview,
): TriggerActionObject {
  return {
    trigger,
    action,
    is_dry_run: true,
    runs: runs.map((run) => ({ ...runObject(run), new_run_id: null })),
    refused: refused.map(refusedObject),
    left,
    estimate: { seconds, without: unknown },
  };
}

/** What was done. */
export function outcomeObject(
  trigger: string,
  action: TriggerAction,
  { done, refused, left }: TriggerOutcome,
): TriggerActionObject {
  return {
    trigger,
    action,
    is_dry_run: false,
    runs: done.map(({ run, newRunId }) => ({ ...runObject(run), new_run_id: newRunId })),
    refused: refused.map(refusedObject),
    left,
    estimate: null,
  };
}

function runObject({ runId, package: name, suite, arch }: RunOfTrigger): RunObject {
  return { run_id: runId, package: name, suite, arch };
}

function refusedObject({ run, reason }: RefusedRun): RunObject & { reason: string } {
  return { ...runObject(run), reason };
}
