import { Injectable } from '@nestjs/common';
import { type Fact, timestamp } from '@proctor/contracts';
import { Database } from '../kit/database';
import { FACT_COLUMNS } from './fact-statements';
import { waitingRows } from './waiting-rows';
import { type RunReader, seenBy } from './run-search';
import { command, type RowOf, selected, type Statement, statement } from '../kit/statement';

/** The stories of all runs. */
@Injectable()
export class Facts {
  constructor(private readonly database: Database) {}

  /**
   * Everything that happened to a run, in order; who may read it is for the caller to know. That it repeats a private run is
   * told to those alone who may see that one.
   * @param reader who asks; the public when absent
   * @throws DatabaseUnavailable
   */
  async ofRun(runId: number, { everything = false, keyId, userName }: RunReader = {}): Promise<Fact[]> {
    const reader = [everything, keyId ?? null, userName ?? null];
    return (await this.database.query(OF_RUN, [runId, ...reader])).map(factOf);
  }

  /**
   * Facts of an architecture that the bus has not taken, by their ids, so each run's in order. Without the reason when
   * the run is private, or repeats one that is: what people and workers say of it may name what is tested.
   * @throws DatabaseUnavailable
   */
  async unpublished(arch: string, limit: number): Promise<Fact[]> {
    return (await this.database.query(UNPUBLISHED, [arch, limit])).map(factOf);
  }

  /**
   * Each is marked that is the very fact which the bus has: an id that was given before the database was restored may be
   * another fact's now, and its time tells.
   * @throws DatabaseUnavailable
   */
  async markPublished(facts: Pick<Fact, 'factId' | 'at'>[]): Promise<void> {
    await this.database.query(MARK_PUBLISHED, [facts.map(({ factId }) => factId), facts.map(({ at }) => at)]);
  }
}

/** The run of a fact, and the run that this one repeats, which the reason of the first fact names. */
const OF_WHAT = `
  left join lateral (select is_private, retry_of from runs where run_id = f.run_id offset 0) r on true
  left join lateral (select is_private, api_key_id, requestor_id from runs where run_id = r.retry_of offset 0) original on true`;
const TELLS_OF_ORIGINAL = `f.kind = 'requested' and original.is_private`;

/** @param reason the SQL expression of what the reader may see of it */
function selectFacts(reason: string, rest: string): Statement<RowOf<typeof FACT_COLUMNS>> {
  const columns = { ...FACT_COLUMNS, reason: FACT_COLUMNS.reason.from(reason) };
  return statement(columns, `select ${selected(columns, 'f')} ${rest}`);
}

const OF_RUN = selectFacts(
  `case when (${TELLS_OF_ORIGINAL} and ${seenBy(2, 'original')} is not true) is not true then f.reason end`,
  `from facts f ${OF_WHAT} where f.run_id = $1 order by f.fact_id`,
);

export const UNPUBLISHED = selectFacts(
  `case when not r.is_private and (${TELLS_OF_ORIGINAL}) is not true then f.reason end`,
  `from (${waitingRows('facts', 'not r.published', 'fact_id')}) f ${OF_WHAT} order by f.fact_id`,
);

/** The ids stand by themselves, too, so that they are looked up by their index whatever the statistics say. */
const MARK_PUBLISHED = command(`
  update facts set published = true
  where fact_id = any($1::bigint[]) and (fact_id, at) in (select * from unnest($1::bigint[], $2::timestamptz[]))`);

function factOf(row: RowOf<typeof FACT_COLUMNS>): Fact {
  return { ...row, at: timestamp(row.at) };
}
