import type { TriggerAction } from '@proctor/resources';
import type { RunOfTrigger } from '@proctor/database';
import type { TriggerOutcome, TriggerPreview } from '../../runs/trigger-actions.service';

const MINUTE_S = 60;
const HOUR_S = 3_600;

interface Words {
  title: string;
  /** The text of the button, with the number of runs. */
  button: (runs: string) => string;
  /** The effect of the action, with the test time. */
  effect: (time: string) => string;
  outcome: (runs: string) => string;
}

const WORDS: Record<TriggerAction, Words> = {
  retry: {
    title: 'Retry',
    button: (runs) => `Retry ${runs}`,
    effect: (time) => `The tests run again for their first requestors: ${time} of test time.`,
    outcome: (runs) => `${runs} requested again.`,
  },
  refresh: {
    title: 'New references',
    button: (runs) => `Request ${runs}`,
    effect: (time) =>
      `Their packages are tested without the new version, as references: ${time} of test time.`,
    outcome: (runs) => `${runs} requested as references.`,
  },
  cancel: {
    title: 'Cancel',
    button: (runs) => `Cancel ${runs}`,
    effect: (time) =>
      `They end at once as tmpfail, even if they are running. This saves ${time} of test time.`,
    outcome: (runs) => `${runs} cancelled.`,
  },
};

/** The page before runs of a trigger are changed. */
export function previewView(trigger: string, url: string, action: TriggerAction, preview: TriggerPreview) {
  const { runs, refused, leftOut } = preview;
  return {
    trigger,
    url,
    left: leftOut,
    isCancel: action === 'cancel',
    actionUrl: `${url}/${action}`,
    title: `${WORDS[action].title}: ${runsOf(runs.length)}`,
    effect: WORDS[action].effect(timeOf(preview)),
    button: WORDS[action].button(runsOf(runs.length)),
    runIds: runs.map(({ runId }) => runId).join(','),
    runs: runs.map(rowOf),
    refused: refused.map(({ run, reason }) => ({ ...rowOf(run), reason })),
  };
}

/** The page after runs of a trigger were changed. */
export function outcomeView(trigger: string, url: string, action: TriggerAction, outcome: TriggerOutcome) {
  const { outcomes, refused, leftOut } = outcome;
  return {
    trigger,
    url,
    left: leftOut,
    title: `${WORDS[action].title}: ${runsOf(outcomes.length)}`,
    sentence: WORDS[action].outcome(runsOf(outcomes.length)),
    done: outcomes.map(({ run, newRunId }) => ({ ...rowOf(run), newRunId })),
    refused: refused.map(({ run, reason }) => ({ ...rowOf(run), reason })),
  };
}

function rowOf({ runId, package: name, suite, arch }: RunOfTrigger) {
  return { runId, name, place: `${suite}/${arch}` };
}

function runsOf(count: number): string {
  return count === 1 ? '1 run' : `${count} runs`;
}

/** `about 12 hours, and 3 runs of unknown length` */
export function timeOf({ seconds, unknown }: Pick<TriggerPreview, 'seconds' | 'unknown'>): string {
  const length =
    seconds >= HOUR_S
      ? `about ${Math.round(seconds / HOUR_S)} ${Math.round(seconds / HOUR_S) === 1 ? 'hour' : 'hours'}`
      : `about ${Math.ceil(seconds / MINUTE_S)} ${Math.ceil(seconds / MINUTE_S) === 1 ? 'minute' : 'minutes'}`;
  const rest = unknown === 0 ? '' : `${runsOf(unknown)} of unknown length`;
  if (seconds === 0) return rest || 'nothing';
  return rest ? `${length}, and ${rest}` : length;
}
