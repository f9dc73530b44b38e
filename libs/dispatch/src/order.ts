import type { DispatchedRun } from './journal';

/** The order of arrival decides between runs that are equal in all else. */
export function arrivedBefore(a: DispatchedRun, b: DispatchedRun): boolean {
  if (a.arrivedAt !== b.arrivedAt) return a.arrivedAt < b.arrivedAt;
  return a.runId < b.runId;
}
