import { Injectable } from '@nestjs/common';
import { type Fact, timestamp } from '@proctor/contracts';
import { Database } from './database';
import { FACT_COLUMNS } from './fact-statements';
import { waitingRows } from './loading-statements';

type FactRow = Omit<Fact, 'at'> & { at: Date };

/** The stories of all runs. */
@Injectable()
export class Facts {
  constructor(private readonly database: Database) {}

  /**
   * Everything that happened to a run, in order; who may read it is for the caller to know. That it repeats a private run is
   * told to the key of that run alone.
   * @param keyId who asks; null for everybody
   * @throws DatabaseUnavailable
   */
  async ofRun(runId: number, keyId: number | null): Promise<Fact[]> {
    return (await this.database.query<FactRow>(OF_RUN, [runId, keyId])).map(factOf);
  }

  /**
   * Facts of an architecture that the bus has not taken, by their ids, so each run's in order. Without the reason when
   * the run is private, or repeats one that is: what people and workers say of it may name what is tested.
   * @throws DatabaseUnavailable
   */
  async unpublished(arch: string, limit: number): Promise<Fact[]> {
    return (await this.database.query<FactRow>(UNPUBLISHED, [arch, limit])).map(factOf);
  }

  /** @throws DatabaseUnavailable */
  async markPublished(factIds: number[]): Promise<void> {
    await this.database.query('update facts set published = true where fact_id = any($1::bigint[])', [
      factIds,
    ]);
  }
}

/** The run of a fact, and the run that this one repeats, which the reason of the first fact names. */
const OF_WHAT = `
  left join lateral (select is_private, retry_of from runs where run_id = f.run_id offset 0) r on true
  left join lateral (select is_private, api_key_id from runs where run_id = r.retry_of offset 0) original on true`;
const TELLS_OF_ORIGINAL = `f.kind = 'requested' and original.is_private`;

const OF_RUN = `
  select ${FACT_COLUMNS},
    case when (${TELLS_OF_ORIGINAL} and original.api_key_id is distinct from $2) is not true then f.reason end as reason
  from facts f ${OF_WHAT} where f.run_id = $1 order by f.fact_id`;

export const UNPUBLISHED = `
  select ${FACT_COLUMNS},
    case when not r.is_private and (${TELLS_OF_ORIGINAL}) is not true then f.reason end as reason
  from (${waitingRows('facts', 'not r.published', 'fact_id')}) f ${OF_WHAT} order by f.fact_id`;

function factOf(row: FactRow): Fact {
  return { ...row, at: timestamp(row.at) };
}
