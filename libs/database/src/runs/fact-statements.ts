import type { FactKind, RunState } from '@proctor/contracts';
import { columnsOf, without } from '../kit/columns-of';
import { FactRow } from '../rows/fact';

/** Where the parts of a fact come from, as SQL; what is not named is null. */
export interface FactSource {
  kind: FactKind | { sql: string };
  /** The run's state after it; an expression when it is not the same for every row. */
  state: RunState | { sql: string };
  attempt: string;
  actor: string;
  reason?: string;
  verdict?: string;
  /** What follows `from`: rows `f` with run_id, arch and suite, each locked or new, and `clock`, after `announceUpdate`. */
  from: string;
  /** In which order the ids are drawn, where a run has several facts. */
  order?: string;
}

/**
 * Inserts a fact for each row: the last part of every statement that changes a run. Each id is drawn while the row is
 * locked, so that the ids of a run rise in the order of the commits. Its time is one that was announced: readers of events go by it.
 */
export function recordFacts(source: FactSource): string {
  const { attempt, actor, reason, verdict, from, order } = source;
  const [kind, state] = [source.kind, source.state].map((each) =>
    typeof each === 'string' ? `'${each}'` : each.sql,
  );
  return `
    insert into facts (run_id, arch, suite, kind, state, attempt, actor, reason, verdict, at)
    select f.run_id, f.arch, f.suite, ${kind}, ${state}, ${attempt},
      ${actor}, ${reason ?? 'null'}, ${verdict ?? 'null'}, clock.updated
    from ${from}${order ? ` order by ${order}` : ''}`;
}

/** A user of this id, as an actor. */
export function userActor(userId: string): string {
  return `(select 'user ' || name from users where user_id = ${userId})`;
}

/** Of a row `f` of `facts`. Who may read the reason depends on who asks, so each statement says what it is. */
export const FACT_COLUMNS = without(columnsOf(FactRow), 'published');
