import type { WorkerStanding } from '@proctor/contracts';
import { offersRoom, type Needs } from './ability';
import type { Restrictions } from './journal-records';
import type { RegisteredWorkers } from './registered-workers';
import type { DispatchSettings } from './settings';
import { drainOf } from './restrictions';
import { testbedState, type KnownWorker, type Workers } from './workers';

/** What a dispatcher needs to know which of its workers could execute what. */
export interface WorkerPool {
  readonly workers: Workers;
  readonly registered: RegisteredWorkers;
  readonly judgements: { standingOf(worker: string): WorkerStanding };
  restrictions: Restrictions;
  settings: DispatchSettings;
}

/**
 * Living workers that could execute a run with these needs now or as soon as a slot is free: not drained, without a problem,
 * the testbed ready, and of this standing; those that it avoids are among them.
 */
export function ableWorkers(
  pool: WorkerPool,
  needs: Omit<Needs, 'avoided'>,
  now: number,
  standing: WorkerStanding = 'sound',
): KnownWorker[] {
  return pool.workers
    .listAliveSince(now - pool.settings.workerQuietMaxMs)
    .filter(
      (candidate) =>
        testbedState(candidate, needs.suite, needs.backend) === 'ready' &&
        offersRoom(candidate, needs) &&
        (!needs.isPrivate || pool.registered.mayRunPrivate(candidate.worker)) &&
        candidate.problem === undefined &&
        !isDrained(pool, candidate.worker) &&
        pool.judgements.standingOf(candidate.worker) === standing,
    );
}

/** Whether other workers could do all that this one does. False when it is not known what it does. */
export function isReplaceable(pool: WorkerPool, worker: string, now: number): boolean {
  const knownWorker = pool.workers.find(worker);
  const ready = knownWorker?.testbeds.filter((testbed) => testbed.state === 'ready') ?? [];
  if (!knownWorker || ready.length === 0) return false;
  const kinds = [false, true].filter((isPrivate) =>
    isPrivate ? pool.registered.mayRunPrivate(worker) : !knownWorker.privateRunsOnly,
  );
  const isDoneElsewhere = (needs: Omit<Needs, 'avoided'>) =>
    ableWorkers(pool, needs, now).some((other) => other.worker !== worker);
  return ready.every(({ suite, backend }) =>
    knownWorker.variants.every((variant) =>
      [null, ...knownWorker.sizeClasses].every((sizeClass) =>
        kinds.every((isPrivate) => isDoneElsewhere({ suite, backend, variant, sizeClass, isPrivate })),
      ),
    ),
  );
}

/** Whether a user has drained the worker: it finishes what it has and gets no other run. */
export function isDrained(pool: WorkerPool, worker: string): boolean {
  return drainOf(pool.restrictions, worker) !== undefined;
}
