import { Injectable } from '@nestjs/common';
import { type Fact, timestamp } from '@proctor/contracts';
import { Database } from './database';
import { FACT_COLUMNS } from './fact-statements';

type FactRow = Omit<Fact, 'at'> & { at: Date };

/** The stories of all runs. */
@Injectable()
export class Facts {
  constructor(private readonly database: Database) {}

  /** Everything that happened to a run, in order; who may read it is for the caller to know. @throws DatabaseUnavailable */
  async ofRun(runId: number): Promise<Fact[]> {
    return (await this.database.query<FactRow>(OF_RUN, [runId])).map(factOf);
  }

  /**
   * Facts of an architecture that the bus has not taken, by their ids, so each run's in order. Without the reason when
   * the run is private: what people and workers say of it may name what is tested.
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

const OF_RUN = `select ${FACT_COLUMNS}, f.reason from facts f where f.run_id = $1 order by f.fact_id`;

const UNPUBLISHED = `
  select ${FACT_COLUMNS}, case when not r.is_private then f.reason end as reason
  from facts f left join runs r using (run_id)
  where f.arch = $1 and not f.published order by f.fact_id limit $2`;

function factOf(row: FactRow): Fact {
  return { ...row, at: timestamp(row.at) };
}
