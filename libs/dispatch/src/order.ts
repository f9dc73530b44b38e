import type { QueuePlace } from './journal-records';

/** The order of arrival decides between runs that are otherwise equal. */
export function arrivedBefore(a: QueuePlace, b: QueuePlace): boolean {
  if (a.arrivedAt !== b.arrivedAt) return a.arrivedAt < b.arrivedAt;
  return a.runId < b.runId;
}
