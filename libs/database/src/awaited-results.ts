import { Injectable } from '@nestjs/common';
import type { KeptAttempt } from '@proctor/contracts';
import { Database } from './database';
import { AWAITED_RESULTS } from './loading-statements';

/** Which attempts a report may still come of that changes something. */
@Injectable()
export class AwaitedResults {
  constructor(private readonly database: Database) {}

  /**
   * Those of the attempts whose result would be the first of its run's latest attempt, whether the run has been ended for
   * want of it or not.
   * @throws DatabaseUnavailable
   */
  among(attempts: KeptAttempt[]): Promise<KeptAttempt[]> {
    const runIds = attempts.map(({ runId }) => runId);
    return this.database.query<KeptAttempt>(AWAITED_RESULTS, [
      runIds,
      attempts.map(({ attempt }) => attempt),
    ]);
  }
}
