/** Where a run is in its life. How it ended is its verdict, another word. */
export const RUN_STATES = ['queued', 'leased', 'running', 'finished'] as const;
export type RunState = (typeof RUN_STATES)[number];

/**
 * How a run ended. `neutral` is autopkgtest's exit 8 (no tests, or all skipped): it is kept in the books and shown
 * as the deployment's `api.neutral` says, `pass` by default.
 */
export const VERDICTS = ['pass', 'neutral', 'fail', 'tmpfail'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The interface's `status`: null while the run has not finished. */
export type Status = 'pass' | 'fail' | 'tmpfail' | 'neutral' | null;

/**
 * How one attempt ended. `returned`: the slot handed the lease back before it started. `cancelled`: somebody ended the
 * run.
 */
export const ATTEMPT_OUTCOMES = ['finished', 'expired', 'lost', 'returned', 'cancelled'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

export const PRIORITY_MIN = 1;
export const PRIORITY_MAX = 10;
export const PRIORITY_DEFAULT = 5;

/** The files that a finished attempt leaves in the store. */
export const RESULT_FILES = ['log.gz', 'artifacts.tar.gz'] as const;
export type ResultFileName = (typeof RESULT_FILES)[number];
