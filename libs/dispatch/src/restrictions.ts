import { earliestOf, type Decision } from '@proctor/contracts';
import type { Drain, Pause, Restrictions } from './journal-records';

/** The pause that stops the runs of a suite: its own, or one of the whole architecture; undefined if there is none. */
export function pauseOf({ pauses }: Restrictions, { suite }: { suite: string }): Pause | undefined {
  return earliestOf(pauses.filter((pause) => pause.suite === null || pause.suite === suite));
}

/** Whether a pause names the suite. */
export function isSuitePaused({ pauses }: Restrictions, suite: string): boolean {
  return pauses.some((pause) => pause.suite === suite);
}

export function drainOf({ drains }: Restrictions, worker: string): Drain | undefined {
  return drains.find((drain) => drain.worker === worker);
}

/** @param what `suite trixie`, `worker w1` …; @param stopped `paused` or `drained` */
export function decisionText(what: string, stopped: string, { by, reason, since }: Decision): string {
  return `${what} is ${stopped} by ${by}: ${reason} (since ${since})`;
}
