import { canExecute, type Needs, type Offer } from './ability';
import type { Bucket } from './bucket';
import type { DispatcherState } from './dispatcher-state';
import type { DispatchedRun } from './journal-records';
import { arrivedBefore } from './order';
import { pauseOf } from './restrictions';
import type { SuiteQueue } from './suite-queue';
import { ableWorkers } from './worker-pool';

/** A slot that requests a lease, and what it can execute. */
type AskingSlot = Offer & { worker: string };

/** The head of a bucket with the values that decide between heads. */
interface Candidate {
  run: DispatchedRun;
  level: number;
  /** The slot time of the requestor, divided by the weight. */
  share: number;
}

/** Nothing is decided when more of some lines must be read first. */
export interface Choice {
  run?: DispatchedRun | undefined;
  isUndecided: boolean;
}

/**
 * The best waiting run that the slot can execute. Runs of suspects, whose package breaks its testbed where others have
 * results, take part when it is their turn at the worker, or when nothing else waits for the slot.
 */
export function bestRun(state: DispatcherState, slot: AskingSlot, now: number): Choice {
  const { suspects, suspectTurns, waiting } = state;
  if (suspects.isEmpty) return best(state, slot, now, () => false);
  if (!suspectTurns.isDue(slot.worker, now)) {
    const choice = best(state, slot, now, (one) => suspects.has(one));
    if (choice.run || choice.isUndecided) return choice;
  }
  waiting.queues.unparkOneOfEach();
  return best(state, slot, now, () => false);
}

/**
 * The run of the highest level; within that, of the requestor who has used the least slot time by weight; of those, the
 * first that arrived. It checks one run of each bucket, however many wait.
 */
function best(
  state: DispatcherState,
  slot: AskingSlot,
  now: number,
  isHeldBack: (run: DispatchedRun) => boolean,
): Choice {
  let bestSoFar: Candidate | undefined;
  for (const queue of state.waiting.queues.all()) {
    if (isStopped(state, queue)) continue;
    for (const lane of queue.lanes()) {
      if (!state.registered.mayExecute(slot.worker, lane.needs) || !canExecute(slot, lane.needs)) continue;
      if (isBetterElsewhere(state, slot.worker, lane.needs, now)) continue;
      for (const bucket of lane.buckets()) bestSoFar = better(state, bucket, bestSoFar, now, isHeldBack);
    }
  }
  const isUndecided = wantsMore(state, slot, bestSoFar, now);
  return isUndecided ? { isUndecided } : { run: bestSoFar?.run, isUndecided };
}

/**
 * Whether a run beyond the edge of a line could go before the best run in memory. Runs beyond an edge have no higher level than
 * the edge, and came later. More of these lines must be read.
 */
function wantsMore(
  state: DispatcherState,
  slot: AskingSlot,
  bestSoFar: Candidate | undefined,
  now: number,
): boolean {
  const { ageing, lines, registered, settings } = state;
  let isWanted = false;
  for (const line of lines.beyond) {
    const { edge, account, needs } = line;
    if (!edge || (bestSoFar && ageing.levelMax(edge.priority) < bestSoFar.level)) continue;
    if (account.running >= settings.caps.perRequestorMax || isStopped(state, edge)) continue;
    if (!registered.mayExecute(slot.worker, needs) || !canExecute(slot, needs)) continue;
    const next = {
      run: edge,
      level: ageing.levelOf(edge, now),
      share: state.usage.shareOf(account, now),
    };
    if (bestSoFar && goesBefore(bestSoFar, next)) continue;
    lines.requireMore(line);
    isWanted = true;
  }
  return isWanted;
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

/** Whether a pause or the cap of the suite keeps its runs from every slot. */
export function isStopped(state: DispatcherState, { suite }: Pick<SuiteQueue, 'suite'>): boolean {
  return (
    state.settings.stopped !== undefined ||
    state.leases.ofSuite.of(suite) >= state.settings.caps.perSuiteMax ||
    pauseOf(state.restrictions, { suite }) !== undefined
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
