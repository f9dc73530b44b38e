import type { FactKind, RunState } from '@proctor/contracts';

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

/** The columns of a Fact but its time, which is a Date; `f` is a row of `facts`. */
export const FACT_COLUMNS = `
  f.fact_id as "factId", f.run_id as "runId", f.arch, f.suite, f.kind, f.state, f.attempt, f.actor, f.verdict,
  f.at`;
