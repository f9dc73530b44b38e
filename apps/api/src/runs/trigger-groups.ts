import { isUntested } from '@proctor/contracts';
import { type BriefRun, type Outcome, OUTCOMES, type Outcomes, type ReferenceRun } from '@proctor/database';
import { TRIGGER_GROUPS, type TriggerGroup } from '@proctor/resources';
import { handleEach, type SlicedWork } from '../http/slices';

/** A reference that ended more days before the run proves nothing. */
export const REFERENCE_DAYS_MAX = 14;
const REFERENCE_AGE_MAX_MS = REFERENCE_DAYS_MAX * 86_400_000;

export interface TriggerTest {
  group: TriggerGroup;
  run: BriefRun;
}

/** The progress of an architecture with the tests of a trigger. */
export interface TriggerArch {
  arch: string;
  outcomes: Outcomes;
  total: number;
  /** The number of tests that have not ended. */
  waiting: number;
  /** Seconds until the queues of the waiting tests are empty; null if unknown. */
  estimateSeconds: number | null;
  /** Why its queued tests wait: sentences without a full stop, those of the first suite first. */
  reasons: string[];
}

export interface TriggerProgress {
  tests: TriggerTest[];
  /** The number of tests that are not superseded, and of those that have ended. */
  total: number;
  done: number;
  counts: Record<TriggerGroup, number>;
  arches: TriggerArch[];
}

/** The expectation for the queue of a suite and architecture. */
interface QueueEstimate {
  suite: string;
  arch: string;
  estimate_seconds: number | null;
  reasons: string[];
}

/** Summarises the runs of a trigger, which may be tens of thousands. @param runs newest first */
export function* triggerProgress(runs: BriefRun[], queues: QueueEstimate[]): SlicedWork<TriggerProgress> {
  const places = new Set<string>();
  const byGroup = new Map(TRIGGER_GROUPS.map((group) => [group, [] as TriggerTest[]]));
  const byArch = new Map<string, TriggerTest[]>();
  yield* handleEach(runs, (run) => {
    const place = `${run.package} ${run.suite} ${run.arch}`;
    const group = places.has(place) ? 'superseded' : groupOf(run);
    places.add(place);
    const test = { group, run };
    byGroup.get(group)!.push(test);
    if (group === 'superseded') return;
    const here = byArch.get(run.arch);
    if (here) here.push(test);
    else byArch.set(run.arch, [test]);
  });
  const tests = [...byGroup.values()].flat();
  const counts = countsOf(tests);
  const total = tests.length - counts.superseded;
  const arches: TriggerArch[] = [];
  for (const [arch, here] of [...byArch].sort(([one], [other]) => (one < other ? -1 : 1))) {
    yield;
    arches.push(archOf(arch, here, queues));
  }
  return { tests, total, done: total - counts.waiting, counts, arches };
}

export function countsOf(tests: TriggerTest[]): Record<TriggerGroup, number> {
  const counts = Object.fromEntries(TRIGGER_GROUPS.map((group) => [group, 0])) as Record<
    TriggerGroup,
    number
  >;
  for (const { group } of tests) counts[group] += 1;
  return counts;
}

/** The number of tests with each outcome. */
function outcomesOf(tests: TriggerTest[]): Outcomes {
  const outcomes = sumOf([]);
  for (const test of tests) outcomes[outcomeOf(test)] += 1;
  return outcomes;
}

export function sumOf(each: Outcomes[]): Outcomes {
  return Object.fromEntries(
    OUTCOMES.map((outcome) => [outcome, each.reduce((sum, outcomes) => sum + outcomes[outcome], 0)]),
  ) as Outcomes;
}

export function totalOf(outcomes: Outcomes): number {
  return OUTCOMES.reduce((sum, outcome) => sum + outcomes[outcome], 0);
}

function outcomeOf({ run: { state, verdict } }: TriggerTest): Outcome {
  if (state !== 'finished') return state === 'queued' ? 'waiting' : 'running';
  if (isUntested(verdict)) return 'untested';
  if (verdict === 'tmpfail') return 'broken';
  return verdict === 'fail' ? 'failed' : 'passed';
}

/** The group of a test, from the newest run of its place. */
function groupOf(run: BriefRun): TriggerGroup {
  if (run.state !== 'finished') return 'waiting';
  if (run.cancelled) return 'superseded';
  if (run.verdict === 'tmpfail') return 'infrastructure';
  if (isUntested(run.verdict)) return run.verdict;
  if (run.verdict !== 'fail') return 'passed';
  const { reference } = run;
  if (!reference || !isFresh(reference, run.finishedAt!)) return 'unknown';
  return reference.verdict === 'fail' ? 'as-before' : 'regression';
}

/** Whether a reference is new enough for a run that ended then. */
export function isFresh({ date }: ReferenceRun, finishedAt: Date): boolean {
  return finishedAt.getTime() - date.getTime() <= REFERENCE_AGE_MAX_MS;
}

/** @param here its tests that are not superseded */
function archOf(arch: string, here: TriggerTest[], queues: QueueEstimate[]): TriggerArch {
  const waiting = here.filter(({ group }) => group === 'waiting');
  const suites = new Set(waiting.map(({ run }) => run.suite));
  const mine = queues.filter((queue) => queue.arch === arch && suites.has(queue.suite));
  const estimates = mine.map((queue) => queue.estimate_seconds);
  const knownSeconds = estimates.filter((seconds) => seconds !== null);
  const isKnown = knownSeconds.length === suites.size;
  const outcomes = outcomesOf(here);
  return {
    arch,
    outcomes,
    total: totalOf(outcomes),
    waiting: outcomes.waiting + outcomes.running,
    estimateSeconds: isKnown ? Math.max(0, ...knownSeconds) : null,
    reasons: [...new Set(mine.flatMap(({ reasons }) => reasons))],
  };
}
