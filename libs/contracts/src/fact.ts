import type { RunState, Verdict } from './words';

/**
 * What can happen to a run, and how its page words it. docs/run-life-cycle.md shows which kinds change its state. A new kind is an entry
 * here, and the statement that records it (`recordFacts`).
 */
export const FACTS = {
  requested: 'requested',
  granted: 'given to a worker',
  started: 'started',
  requeued: 'waits again',
  finished: 'finished',
  corrected: 'corrected by a result that came late',
  cancelled: 'cancelled',
  superseded: 'ended, because a request with a newer version replaces it',
  reprioritised: 'got another priority',
  published: 'made public',
} as const;
export type FactKind = keyof typeof FACTS;
export const FACT_KINDS = Object.keys(FACTS) as FactKind[];

/** The kinds that end a run before it ends by itself. Their verdict is for programs alone. */
export const EARLY_END_KINDS: readonly FactKind[] = ['cancelled', 'superseded'];

/** The kinds that have a verdict. A webhook gets these where its user names none. */
export const END_KINDS: readonly FactKind[] = ['finished', 'corrected', ...EARLY_END_KINDS];

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
  /** The reason for people; null if there is none. */
  reason: string | null;
  /** Set for the kinds of END_KINDS, else null. */
  verdict: Verdict | null;
  /** UTC, as `timestamp` writes it. */
  at: string;
}

/** The event's `Nats-Msg-Id`. The id alone is not enough: a restored database gives its latest ids again. */
export function eventId({ factId, at }: Fact): string {
  return `${factId} ${at}`;
}
