import type { RunView } from '../runs/run-view';

/** What can be done to several of one's own runs. */
export type JobAction = 'publish' | 'cancel' | 'retry';

interface Words {
  verb: string;
  /** What will happen. */
  outcome: string;
  /** When nothing is left to do. */
  none: string;
  /** Why some of those that were chosen are left out. */
  because: string;
  /** Below the user's own pages. */
  path: string;
}

const WORDS: Record<JobAction, Words> = {
  publish: {
    verb: 'Publish',
    outcome: 'Results, logs and artifacts can be read by everybody at once, and that cannot be undone.',
    none: 'Choose private runs of yours: what they are, everybody can read then.',
    because: 'public already, or not yours',
    path: '/test/publish',
  },
  cancel: {
    verb: 'Cancel',
    outcome: 'They end at once as tmpfail, also while they are executed.',
    none: 'None of the runs that you chose is unfinished.',
    because: 'finished already, or not yours to cancel',
    path: '/jobs/cancel',
  },
  retry: {
    verb: 'Retry',
    outcome: 'Each is tested again as it was asked for, with the same trigger and priority.',
    none: 'None of the runs that you chose can be retried.',
    because: 'not finished, not tested here any more, or not yours',
    path: '/jobs/retry',
  },
};

/**
 * The question before several runs are changed.
 * @param leftOut how many of those that were chosen cannot be
 * @param backUrl of the page on which they were chosen
 */
export function confirmView(action: JobAction, runs: RunView[], leftOut: number, backUrl: string) {
  const { verb, outcome, none, because, path } = WORDS[action];
  const many = runs.length === 1 ? 'one run' : `${runs.length} runs`;
  const left = leftOut === 1 ? 'One of those that you chose is' : `${leftOut} of those that you chose are`;
  return {
    title: `${verb} runs`,
    question: runs.length === 0 ? `${verb} runs` : `${verb} ${many}?`,
    button: `${verb} ${many}`,
    outcome: runs.length === 0 ? none : outcome,
    leftOut: leftOut === 0 || runs.length === 0 ? '' : `${left} left out: ${because}.`,
    path,
    backUrl,
    /** Whether the page is reached by its address too, with ids of runs. */
    takesIds: action === 'publish',
    runs,
  };
}
