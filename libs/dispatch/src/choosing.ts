import { canExecute, type Needs, type Offer } from './ability';
import type { Bucket } from './bucket';
import type { DispatcherState } from './dispatcher-state';
import type { DispatchedRun } from './journal';
import { arrivedBefore } from './order';
import { pauseOf } from './restrictions';
import type { SuiteQueue } from './suite-queue';
import { ableWorkers } from './worker-pool';

/** A slot that asks, and what it can execute. */
export type AskingSlot = Offer & { worker: string };

/** The head of a bucket, and what decides between heads. */
interface Candidate {
  run: DispatchedRun;
  level: number;
  /** The requestor's slot time by weight. */
  share: number;
}

/**
 * The best waiting run that the slot can execute. Runs of suspects, whose package breaks its testbed where others have
 * results, take part when it is their turn at the worker, or when nothing else waits for the slot.
 */
export function bestRun(state: DispatcherState, slot: AskingSlot, now: number): DispatchedRun | undefined {
  const { suspects, suspectTurns, waiting } = state;
  if (suspects.isEmpty) return best(state, slot, now, () => false);
  if (!suspectTurns.isDue(slot.worker, now)) {
    const run = best(state, slot, now, (one) => suspects.has(one));
    if (run) return run;
  }
  waiting.queues.unparkOneOfEach();
  return best(state, slot, now, () => false);
}

/**
 * Of the highest level, there of the requestor who has used the least slot time by weight, and of those the first that
 * arrived. Looks at one run of each bucket, however many wait.
 */
function best(
  state: DispatcherState,
  slot: AskingSlot,
  now: number,
  isHeldBack: (run: DispatchedRun) => boolean,
): DispatchedRun | undefined {
  let found: Candidate | undefined;
  for (const queue of state.waiting.queues.all()) {
    if (isStopped(state, queue)) continue;
    for (const lane of queue.lanes()) {
      if (!state.registered.mayExecute(slot.worker, lane.needs) || !canExecute(slot, lane.needs)) continue;
      if (isBetterElsewhere(state, slot.worker, lane.needs, now)) continue;
      for (const bucket of lane.buckets()) found = better(state, bucket, found, now, isHeldBack);
    }
  }
  return found?.run;
}

/** Whether a worker that the run does not avoid could execute it, while this one is better avoided. */
export function isBetterElsewhere(
  state: DispatcherState,
  worker: string,
  needs: Needs,
  now: number,
): boolean {
  if (!needs.avoided.includes(worker)) return false;
  const able = ableWorkers(state, needs, now);
  return able.some((other) => !needs.avoided.includes(other.worker));
}

/** A pause or the cap of the suite keeps all its runs from every slot. */
export function isStopped(state: DispatcherState, { suite }: SuiteQueue): boolean {
  return (
    state.leases.ofSuite.of(suite) >= state.settings.caps.perSuiteMax ||
    pauseOf(state.restrictions, suite) !== undefined
  );
}

/** The better one of `best` and the head of the bucket. */
function better(
  state: DispatcherState,
  bucket: Bucket,
  best: Candidate | undefined,
  now: number,
  isHeldBack: (run: DispatchedRun) => boolean,
): Candidate | undefined {
  const { caps } = state.settings;
  if (bucket.account.running >= caps.perRequestorMax) return best;
  if (best && state.ageing.levelMax(bucket.priority) < best.level) return best;
  const run = state.waiting.queues.headOf(
    bucket,
    (one) => state.leases.ofPackage.of(one.package) >= caps.perPackageMax || isHeldBack(one),
  );
  if (!run) return best;
  const level = state.ageing.levelOf(run, now);
  if (best && level < best.level) return best;
  const candidate = { run, level, share: state.usage.shareOf(bucket.account, now) };
  return !best || goesBefore(candidate, best) ? candidate : best;
}

function goesBefore(a: Candidate, b: Candidate): boolean {
  if (a.level !== b.level) return a.level > b.level;
  if (a.share !== b.share) return a.share < b.share;
  return arrivedBefore(a.run, b.run);
}
