import { grantOf } from '@proctor/contracts';
import type { DispatcherState } from './dispatcher-state';
import type { Write } from './journal';
import type { Drain } from './journal-records';
import type { AttemptToStop } from './messages';

/** The writes, and the attempts that workers must stop. */
export interface HandedBack {
  writes: Write[];
  stops: AttemptToStop[];
}

/** Puts all runs of the worker into the queue again, without a failed attempt. */
export function handBack(state: DispatcherState, worker: string, reason: string, now: number): HandedBack {
  const leasedRuns = state.leases.byGrant().filter(({ lease }) => lease.worker === worker);
  return {
    writes: leasedRuns.map(({ run }) => state.requeue(run, { outcome: 'returned', reason }, 0, now)),
    stops: leasedRuns.map(({ run }) => ({ worker, ...grantOf(run), reason })),
  };
}

/** Hands back the runs of workers whose drain deadline is over. @param dueMs deadlines up to this time are over */
export function endDrains(state: DispatcherState, dueMs: number, now: number): HandedBack {
  const ends = state.drainDeadlines
    .removeDue(dueMs)
    .map(({ worker, by, reason }) => handBack(state, worker, whyBack({ worker, by, reason }), now));
  return { writes: ends.flatMap((end) => end.writes), stops: ends.flatMap((end) => end.stops) };
}

function whyBack({ worker, by, reason }: Pick<Drain, 'worker' | 'by' | 'reason'>): string {
  return `worker ${worker} was drained by ${by}, and its time to finish is over: ${reason}`;
}
