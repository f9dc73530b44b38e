import { isUntested } from '@proctor/contracts';
import type { ReferenceRun, RunOfTrigger, TriggerTotal } from '@proctor/database';
import { TRIGGER_GROUPS, type TriggerGroup } from '@proctor/resources';

/** A reference that ended longer before the run than this proves nothing. */
export const REFERENCE_DAYS_MAX = 14;
const REFERENCE_AGE_MAX_MS = REFERENCE_DAYS_MAX * 86_400_000;

export interface TriggerTest {
  group: TriggerGroup;
  run: RunOfTrigger;
}

/** How far an architecture is with the tests of a trigger. */
export interface TriggerArch {
  arch: string;
  total: number;
  waiting: number;
  /** Seconds until the queues of the waiting tests are empty; null if unknown. */
  estimateSeconds: number | null;
}

export interface TriggerProgress {
  tests: TriggerTest[];
  /** Tests that are not superseded, and those of them that have ended. */
  total: number;
  done: number;
  counts: Record<TriggerGroup, number>;
  arches: TriggerArch[];
}

/** What is expected of the queue of a suite and architecture. */
export interface QueueEstimate {
  suite: string;
  arch: string;
  estimate_seconds: number | null;
}

/** What the runs of a trigger mean together. @param runs newest first */
export function triggerProgress(runs: RunOfTrigger[], queues: QueueEstimate[]): TriggerProgress {
  const places = new Set<string>();
  const tests = runs.map((run) => {
    const place = `${run.package} ${run.suite} ${run.arch}`;
    const isNewest = !places.has(place);
    places.add(place);
    return { group: isNewest ? groupOf(run) : ('superseded' as const), run };
  });
  const current = tests.filter(({ group }) => group !== 'superseded');
  const counts = countsOf(tests);
  return {
    tests: tests.sort((a, b) => TRIGGER_GROUPS.indexOf(a.group) - TRIGGER_GROUPS.indexOf(b.group)),
    total: current.length,
    done: current.length - counts.waiting,
    counts,
    arches: archesOf(current, queues),
  };
}

export function countsOf(tests: TriggerTest[]): Record<TriggerGroup, number> {
  const counts = Object.fromEntries(TRIGGER_GROUPS.map((group) => [group, 0])) as Record<
    TriggerGroup,
    number
  >;
  for (const { group } of tests) counts[group] += 1;
  return counts;
}

/** Corrects the totals of a progress that was made from only some of the runs. @param totals of all runs */
export function withTotals(progress: TriggerProgress, totals: TriggerTotal[]): TriggerProgress {
  const estimates = new Map(progress.arches.map(({ arch, estimateSeconds }) => [arch, estimateSeconds]));
  const total = totals.reduce((sum, { tests }) => sum + tests, 0);
  return {
    ...progress,
    total,
    done: totals.reduce((sum, { waiting }) => sum - waiting, total),
    arches: totals.map(({ arch, tests, waiting }) => {
      return { arch, total: tests, waiting, estimateSeconds: estimates.get(arch) ?? null };
    }),
  };
}

/** The group of a test, from the newest run of its place. */
function groupOf(run: RunOfTrigger): TriggerGroup {
  if (run.state !== 'finished') return 'waiting';
  if (run.cancelled) return 'superseded';
  if (run.verdict === 'tmpfail') return 'infrastructure';
  if (isUntested(run.verdict)) return run.verdict;
  if (run.verdict !== 'fail') return 'passed';
  const { reference } = run;
  if (!reference || !isFresh(reference, run.finishedAt!)) return 'unknown';
  return reference.verdict === 'fail' ? 'as-before' : 'regression';
}

/** Whether a reference still says something of a run that ended then. */
export function isFresh({ date }: ReferenceRun, finishedAt: Date): boolean {
  return finishedAt.getTime() - date.getTime() <= REFERENCE_AGE_MAX_MS;
}

function archesOf(tests: TriggerTest[], queues: QueueEstimate[]): TriggerArch[] {
  const names = [...new Set(tests.map(({ run }) => run.arch))].sort();
  return names.map((arch) => {
    const here = tests.filter(({ run }) => run.arch === arch);
    const waiting = here.filter(({ group }) => group === 'waiting');
    const suites = new Set(waiting.map(({ run }) => run.suite));
    const estimates = queues
      .filter((queue) => queue.arch === arch && suites.has(queue.suite))
      .map((queue) => queue.estimate_seconds);
    const knownSeconds = estimates.filter((seconds) => seconds !== null);
    const isKnown = knownSeconds.length === suites.size;
    return {
      arch,
      total: here.length,
      waiting: waiting.length,
      estimateSeconds: isKnown ? Math.max(0, ...knownSeconds) : null,
    };
  });
}
