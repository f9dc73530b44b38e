import type { DispatchedRun } from './journal';

/** The order of waiting runs across the suites of an architecture: priority, then arrival. */
export function goesBefore(a: DispatchedRun, b: DispatchedRun): boolean {
  if (a.priority !== b.priority) return a.priority > b.priority;
  if (a.arrivedAt !== b.arrivedAt) return a.arrivedAt < b.arrivedAt;
  return a.runId < b.runId;
}
