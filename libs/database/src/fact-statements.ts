import type { Fact, FactKind, RunState, Verdict } from '@proctor/contracts';
import { bigint, type ColumnsOf, integer, text, time } from './statement';

/** Where the parts of a fact come from, as SQL; what is not named is null. */
export interface FactSource {
  kind: FactKind;
  /** The run's state after it; an expression when it is not the same for every row. */
  state: RunState | { sql: string };
  attempt: string;
  actor: string;
  reason?: string;
  verdict?: string;
  /** What follows `from`: rows `f` with run_id, arch and suite, each locked or new, and `clock`. */
  from: string;
}

/**
 * Inserts a fact for each row: the last part of every statement that changes a run. Each id is drawn while the row is
 * locked, so that the ids of a run rise in the order of the commits.
 */
export function recordFacts({ kind, state, attempt, actor, reason, verdict, from }: FactSource): string {
  return `
    insert into facts (run_id, arch, suite, kind, state, attempt, actor, reason, verdict, at)
    select f.run_id, f.arch, f.suite, '${kind}', ${typeof state === 'string' ? `'${state}'` : state.sql}, ${attempt},
      ${actor}, ${reason ?? 'null'}, ${verdict ?? 'null'}, clock.now
    from ${from}`;
}

/** A user of this id, as an actor. */
export function userActor(userId: string): string {
  return `(select 'user ' || name from users where user_id = ${userId})`;
}

/** Of a row `f` of `facts`. Who may read the reason depends on who asks, so each statement says what it is. */
export const FACT_COLUMNS = {
  factId: bigint,
  runId: bigint,
  arch: text,
  suite: text,
  kind: text.as<FactKind>(),
  state: text.as<RunState>(),
  attempt: integer,
  actor: text,
  reason: text.orNull,
  verdict: text.as<Verdict>().orNull,
  at: time,
} satisfies ColumnsOf<Omit<Fact, 'at'> & { at: Date }>;
