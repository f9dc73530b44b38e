import type { FactKind, Verdict } from '@proctor/contracts';
import type { RunEvent } from './run-event';

/** A filter of events: one entry of each present list must match. */
export interface EventFilter {
  packages?: readonly string[] | undefined;
  suites?: readonly string[] | undefined;
  arches?: readonly string[] | undefined;
  kinds?: readonly FactKind[] | undefined;
  /** An event without a verdict matches none. */
  verdicts?: readonly Verdict[] | undefined;
  /** Words, separated by spaces, that the trigger must contain. */
  trigger?: string | undefined;
}

export function isWanted(filter: EventFilter, event: RunEvent): boolean {
  const { packages, suites, arches, kinds, verdicts, trigger } = filter;
  return (
    isOneOf(packages, event.package) &&
    isOneOf(suites, event.suite) &&
    isOneOf(arches, event.arch) &&
    isOneOf(kinds, event.kind) &&
    isOneOf(verdicts, event.verdict) &&
    hasWords(event.trigger, trigger)
  );
}

function isOneOf<T>(choice: readonly T[] | undefined, value: T | null): boolean {
  return choice === undefined || (value !== null && choice.includes(value));
}

function hasWords(trigger: string | null, filter: string | undefined): boolean {
  if (filter === undefined) return true;
  const words = trigger?.split(' ') ?? [];
  return filter.split(' ').every((word) => words.includes(word));
}
