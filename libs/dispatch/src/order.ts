import type { DispatchedRun } from './journal';

/** The order of arrival: the last word between runs that nothing else sets apart. */
export function arrivedBefore(a: DispatchedRun, b: DispatchedRun): boolean {
  if (a.arrivedAt !== b.arrivedAt) return a.arrivedAt < b.arrivedAt;
  return a.runId < b.runId;
}
