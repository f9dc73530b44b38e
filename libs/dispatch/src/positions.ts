import type { Needs } from './ability';
import type { Bucket } from './bucket';
import type { DispatcherState } from './dispatcher-state';
import type { DispatchedRun } from './journal-records';
import type { Line } from './lines';
import { isSuitePaused } from './restrictions';
import type { Lane } from './suite-queue';
import type { UsageAccount } from './usage';
import type { View } from './view';

/** Waiting runs that are expected to go before a run. */
export interface Ahead {
  /** The number of runs with a higher level: a higher priority, or the same after a longer wait. */
  higher: number;
  sameLevel: number;
}

/** Runs of one requestor that compete with a run. */
interface Rivals {
  /** The number of runs with a higher level. */
  higher: number;
  sameLevel: number;
  /** The number of runs with the same level that arrived before the run. */
  earlier: number;
}

/**
 * How many runs that the viewer may know about go before `run` if nothing changes: all that compete and have a higher
 * level; of its own level, the earlier runs of its requestor, and of each other requestor as many as fair share lets go first.
 *
 * The last number is an estimate: each run counts as the mean slot time, as if no run arrived, nothing aged
 * and no use decayed meanwhile. Runs that pauses or delays hold back do not count; runs at a cap do. It checks a
 * few places in each bucket, so it costs about the same however many wait.
 * @param competes whether runs of such needs wait for the same slots
 */
export function runsAhead(
  state: DispatcherState,
  run: DispatchedRun,
  competes: (needs: Needs) => boolean,
  view: View,
  now: number,
): Ahead {
  const level = state.ageing.levelOf(run, now);
  const rivals = new Map<UsageAccount, Rivals>();
  const add = (account: UsageAccount, counts: Rivals): void => {
    const ofRequestor = rivals.get(account) ?? { higher: 0, sameLevel: 0, earlier: 0 };
    ofRequestor.higher += counts.higher;
    ofRequestor.sameLevel += counts.sameLevel;
    ofRequestor.earlier += counts.earlier;
    rivals.set(account, ofRequestor);
  };
  for (const lane of state.waiting.queues.usedLanes()) {
    if (!competes(lane.needs) || isPausedElsewhere(state, lane, run)) continue;
    for (const bucket of view.bucketsOf(lane)) {
      if (state.ageing.levelMax(bucket.priority) < level) continue;
      add(bucket.account, rivalsIn(state, bucket, run, level, now));
    }
  }
  for (const line of view.linesBeyond()) {
    if (!competes(line.needs) || isPausedElsewhere(state, line, run)) continue;
    add(line.account, rivalsBeyond(state, line, run, level, view));
  }
  return { higher: sumOfHigher(rivals), sameLevel: countAtLevel(state, run, rivals, view, now) };
}

/** Runs of another suite that is paused do not go before the run. */
function isPausedElsewhere(
  state: DispatcherState,
  { needs }: Pick<Lane, 'needs'>,
  run: DispatchedRun,
): boolean {
  return needs.suite !== run.suite && isSuitePaused(state.restrictions, needs.suite);
}

/** The rivals in a bucket. The levels of a bucket never rise from its head to its end. */
function rivalsIn(
  state: DispatcherState,
  bucket: Bucket,
  run: DispatchedRun,
  level: number,
  now: number,
): Rivals {
  const higher =
    bucket.priority > level
      ? bucket.size
      : bucket.countWhile((one) => state.ageing.levelOf(one, now) > level);
  const notLower =
    bucket.priority >= level
      ? bucket.size
      : bucket.countWhile((one) => state.ageing.levelOf(one, now) >= level);
  const earlier = Math.min(bucket.countBefore(run), notLower) - higher;
  return { higher, sameLevel: notLower - higher, earlier: Math.max(0, earlier) };
}

function sumOfHigher(rivals: Map<UsageAccount, Rivals>): number {
  let sum = 0;
  for (const { higher } of rivals.values()) sum += higher;
  return sum;
}

function countAtLevel(
  state: DispatcherState,
  run: DispatchedRun,
  rivals: Map<UsageAccount, Rivals>,
  view: View,
  now: number,
): number {
  const meanMs = state.durations.meanMs;
  const shareAfter = (account: UsageAccount, runs: number) =>
    view.shareOf(account, now) + (runs * meanMs) / state.usage.weightOf(account.requestor);
  const own = state.usage.accountOf(run.requestor);
  const { higher = 0, earlier = 0 } = rivals.get(own) ?? {};
  const ownShare = shareAfter(own, higher + earlier);
  let count = earlier;
  for (const [account, theirs] of rivals) {
    if (account === own) continue;
    const runsUntilEven =
      ((ownShare - shareAfter(account, theirs.higher)) * state.usage.weightOf(account.requestor)) / meanMs;
    const goFirst = theirs.earlier > runsUntilEven ? Math.floor(runsUntilEven) + 1 : Math.ceil(runsUntilEven);
    count += Math.max(0, Math.min(goFirst, theirs.sameLevel));
  }
  return count;
}

/** The rivals in a line beyond its edge. The levels of a line never rise from its edge to its end. */
function rivalsBeyond(
  state: DispatcherState,
  line: Line,
  run: DispatchedRun,
  level: number,
  view: View,
): Rivals {
  const higher = countFrom(state, line, level + 1, view);
  const notLower = countFrom(state, line, level, view);
  const sameLevel = notLower - higher;
  if (sameLevel === 0) return { higher, sameLevel, earlier: 0 };
  const before = { arrivedAt: run.arrivedAt, runId: run.runId - 1 };
  const earlier = Math.min(view.countBeyond(line, before), notLower) - higher;
  return { higher, sameLevel, earlier: Math.max(0, earlier) };
}

/** The number of runs of a line beyond its edge with at least this level. */
function countFrom({ ageing }: DispatcherState, line: Line, level: number, view: View): number {
  const { edge } = line;
  if (!edge || ageing.levelMax(edge.priority) < level) return 0;
  return view.countBeyond(
    line,
    edge.priority < level ? ageing.lastOfLevel(edge, level, view.beyondAtMs) : null,
  );
}
