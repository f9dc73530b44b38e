import type { RunState, Verdict } from './words';

/** What can happen to a run. docs/run-life-cycle.md shows which kinds change its state. */
export const FACT_KINDS = [
  'requested',
  'granted',
  'started',
  'requeued',
  'finished',
  'corrected',
  'cancelled',
  'reprioritised',
  'published',
] as const;
export type FactKind = (typeof FACT_KINDS)[number];

/**
 * One thing that happened to a run: a row that is never changed, and an event, `proctor.event.{arch}.{kind}`. Events
 * of a run come in the order of their ids, each at least once. It names no package, since runs may be private.
 */
export interface Fact {
  /** Rises along a run's life. */
  factId: number;
  runId: number;
  arch: string;
  suite: string;
  kind: FactKind;
  /** The run's state after it. */
  state: RunState;
  /** The latest granted attempt; 0 when none was granted. */
  attempt: number;
  /** `user NAME`, `worker NAME` or `scheduler`. */
  actor: string;
  /** For people; null when there is no reason. */
  reason: string | null;
  /** Set by `finished`, `corrected` and `cancelled`. */
  verdict: Verdict | null;
  /** UTC, as `timestamp` writes it. */
  at: string;
}

/** The event's `Nats-Msg-Id`. The id alone is not enough: a restored database gives its latest ids again. */
export function eventId({ factId, at }: Fact): string {
  return `${factId} ${at}`;
}
