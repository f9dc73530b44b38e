import { Injectable } from '@nestjs/common';
import { type Fact, type FactKind, type RunState, timestamp } from '@proctor/contracts';
import { columnsOf, without } from '../kit/columns-of';
import { Database } from '../kit/database';
import { command, type RowOf, selectList, type Statement, statement } from '../kit/statement';
import { FactRow } from '../rows/fact';
import { type RunReader, seenBy } from './run-search';
import { waitingRows } from './waiting-rows';

/** The SQL of the fields of a fact; absent fields are null. */
interface FactSource {
  kind: FactKind | { sql: string };
  /** The state of the run after the fact; an expression if it differs between rows. */
  state: RunState | { sql: string };
  attempt: string;
  actor: string;
  reason?: string;
  verdict?: string;
  /**
   * The SQL after `from`: rows `f` with run_id, arch and suite, each locked or new, and `clock`, after
   * `recordUpdateTime`.
   */
  from: string;
  /** The order of the ids, if a run has several facts. */
  order?: string;
}

/**
 * Inserts a fact for each row: the last part of every statement that changes a run. Each id is drawn while
 * the row is locked, so that the ids of a run rise in the order of the commits. Its time is one that was
 * announced, because readers of events follow these times.
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

/** The SQL of an actor: the user with this id. */
export function userActor(userId: string): string {
  return `(select 'user ' || name from users where user_id = ${userId})`;
}

/**
 * The columns of a row `f` of `facts`. Who may read the reason depends on the reader, so each statement has its own
 * expression for it.
 */
export const FACT_COLUMNS = without(columnsOf(FactRow), 'published');

/** The stories of all runs. */
@Injectable()
export class Facts {
  constructor(private readonly database: Database) {}

  /**
   * Everything that happened to a run, in order. The caller checks who may read it. If the run repeats a private run,
   * only a reader who may see that one learns about it.
   * @param reader by default the public
   */
  async ofRun(runId: number, { everything = false, keyId, userName }: RunReader = {}): Promise<Fact[]> {
    const reader = [everything, keyId ?? null, userName ?? null];
    return (await this.database.query(OF_RUN, [runId, ...reader])).map(factOf);
  }

  /**
   * Facts of an architecture that the bus has not received, by id, so the facts of a run are in order. The reason is
   * omitted if the run is private or repeats a private run: texts of people and workers may name what is tested.
   */
  async listUnpublished(arch: string, limit: number): Promise<Fact[]> {
    return (await this.database.query(UNPUBLISHED, [arch, limit])).map(factOf);
  }

  /**
   * Marks facts that the bus has received. After a restore of the database, an id may belong to another fact, so the
   * time is compared too.
   */
  async markPublished(facts: Pick<Fact, 'factId' | 'at'>[]): Promise<void> {
    await this.database.query(MARK_PUBLISHED, [facts.map(({ factId }) => factId), facts.map(({ at }) => at)]);
  }
}

/** The run of a fact, and the run that it repeats, which is named in the reason of the first fact. */
const OF_WHAT = `
  left join lateral (select is_private, retry_of from runs where run_id = f.run_id offset 0) r on true
  left join lateral (select is_private, api_key_id, requestor_id from runs where run_id = r.retry_of offset 0) original on true`;
const NAMES_ORIGINAL = `f.kind = 'requested' and original.is_private`;

/** @param reason the SQL expression for the part that the reader may see */
function selectFacts(reason: string, rest: string): Statement<RowOf<typeof FACT_COLUMNS>> {
  const columns = { ...FACT_COLUMNS, reason: FACT_COLUMNS.reason.from(reason) };
  return statement(columns, `select ${selectList(columns, 'f')} ${rest}`);
}

const OF_RUN = selectFacts(
  `case when (${NAMES_ORIGINAL} and ${seenBy(2, 'original')} is not true) is not true then f.reason end`,
  `from facts f ${OF_WHAT} where f.run_id = $1 order by f.fact_id`,
);

export const UNPUBLISHED = selectFacts(
  `case when not r.is_private and (${NAMES_ORIGINAL}) is not true then f.reason end`,
  `from (${waitingRows('facts', 'not r.published', 'fact_id')}) f ${OF_WHAT} order by f.fact_id`,
);

/** A condition on the ids alone, so that they are looked up by their index whatever the statistics are. */
const MARK_PUBLISHED = command(`
  update facts set published = true
  where fact_id = any($1::bigint[]) and (fact_id, at) in (select * from unnest($1::bigint[], $2::timestamptz[]))`);

function factOf(row: RowOf<typeof FACT_COLUMNS>): Fact {
  return { ...row, at: timestamp(row.at) };
}
