import {
  type CountedPart,
  type CountLimits,
  type DispatchedRun,
  keyOf,
  type LinePlace,
  type LineStretch,
} from '@proctor/dispatch';
import type { RunRow } from './memory-rows';

type InOrder = Pick<DispatchedRun, 'arrivedAt' | 'runId'>;

export function byArrival(a: InOrder, b: InOrder): number {
  return a.arrivedAt - b.arrivedAt || a.runId - b.runId;
}

/** Where a run is in line, if it ever was. */
export function placeOf({ request, requestor, arrivedAt, runId }: RunRow): LinePlace {
  const { suite, backend, variant, isPrivate, priority } = request;
  return { suite, backend, variant, isPrivate, priority, requestor, arrivedAt, runId };
}

/** @param runs in order of arrival */
export function linesOf(runs: DispatchedRun[]): DispatchedRun[][] {
  const lines = new Map<string, DispatchedRun[]>();
  for (const run of runs) {
    const line = lines.get(keyOf(run));
    if (line) line.push(run);
    else lines.set(keyOf(run), [run]);
  }
  return [...lines.values()];
}

/** @param runs of a line, in order of arrival */
export function partsOf(
  runs: DispatchedRun[],
  upTo: LineStretch['upTo'],
  { blockRuns, runsMax }: CountLimits,
): CountedPart[] {
  const stretch = runs.filter((run) => !upTo || byArrival(run, upTo) <= 0).slice(0, runsMax);
  return stretch.flatMap(({ arrivedAt, runId }, index) => {
    const number = index + 1;
    if (number % blockRuns > 0 && number < stretch.length) return [];
    return [{ end: { arrivedAt, runId }, count: number % blockRuns || blockRuns }];
  });
}
