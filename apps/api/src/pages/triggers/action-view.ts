import type { TriggerAction } from '@proctor/resources';
import type { RunOfTrigger } from '@proctor/database';
import { changesNotice, runsOf } from '../layout/changes-notice';
import { estimateInWords } from '../layout/times';
import type { TriggerOutcome, TriggerPreview } from '../../runs/trigger-actions.service';

interface Words {
  title: string;
  /** The text of the button, with the number of runs. */
  button: (runs: string) => string;
  /** The effect of the action, with the test time. */
  effect: (time: string) => string;
  /** What has happened to each run afterwards. */
  change: string;
}

const WORDS: Record<TriggerAction, Words> = {
  retry: {
    title: 'Retry',
    button: (runs) => `Retry ${runs}`,
    effect: (time) => `The tests run again for their first requestors: ${time} of test time.`,
    change: 'requested again',
  },
  refresh: {
    title: 'New references',
    button: (runs) => `Request ${runs}`,
    effect: (time) =>
      `Their packages are tested without the new version, as references: ${time} of test time.`,
    change: 'requested as references',
  },
  cancel: {
    title: 'Cancel',
    button: (runs) => `Cancel ${runs}`,
    effect: (time) =>
      `They end at once as tmpfail, even if they are running. This saves ${time} of test time.`,
    change: 'cancelled',
  },
};

/** The page before runs of a trigger are changed. */
export function previewView(
  trigger: string,
  { url, backUrl }: { url: string; backUrl: string },
  action: TriggerAction,
  preview: TriggerPreview,
) {
  const { runs, refused, leftOut } = preview;
  return {
    trigger,
    url,
    backUrl,
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

/** The notice after runs of a trigger were changed. */
export function outcomeNotice(action: TriggerAction, { outcomes, refused, leftOut }: TriggerOutcome): string {
  const doneIds = outcomes.map(({ run, newRunId }) => newRunId ?? run.runId);
  const refusals = refused.map(({ run: { runId }, reason }) => ({ runId, reason }));
  const notice = changesNotice(WORDS[action].change, { doneIds, refusals });
  if (leftOut === 0) return notice;
  return `${notice} ${leftOut === 1 ? 'One more test matches' : `${leftOut} more tests match`}. Repeat this for the rest.`;
}

function rowOf({ runId, package: name, suite, arch }: RunOfTrigger) {
  return { runId, name, place: `${suite}/${arch}` };
}

/** `about 12 h 5 min, and 3 runs of unknown length` */
export function timeOf({ seconds, unknown }: Pick<TriggerPreview, 'seconds' | 'unknown'>): string {
  const length = estimateInWords(seconds);
  const rest = unknown === 0 ? '' : `${runsOf(unknown)} of unknown length`;
  if (seconds === 0) return rest || 'nothing';
  return rest ? `${length}, and ${rest}` : length;
}
