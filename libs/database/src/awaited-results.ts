import { Injectable } from '@nestjs/common';
import type { Grant } from '@proctor/contracts';
import { Database } from './database';
import { AWAITED_RESULTS } from './loading-statements';

/** Which grants a report may still come of that changes something. */
@Injectable()
export class AwaitedResults {
  constructor(private readonly database: Database) {}

  /**
   * Those of the grants whose result would be the first of its run's latest attempt, whether the run has been ended for
   * want of it or not.
   * @throws DatabaseUnavailable
   */
  async among(grants: Grant[]): Promise<Grant[]> {
    const awaited = await this.database.query<{ nth: number }>(AWAITED_RESULTS, [
      grants.map(({ runId }) => runId),
      grants.map(({ attempt }) => attempt),
      grants.map(({ grantEpoch = null }) => grantEpoch),
    ]);
    return awaited.flatMap(({ nth }) => grants[nth - 1] ?? []);
  }
}
