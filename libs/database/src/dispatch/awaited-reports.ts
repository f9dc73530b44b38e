import { Injectable } from '@nestjs/common';
import type { Grant } from '@proctor/contracts';
import type { ReportState } from '@proctor/dispatch';
import { Database } from '../kit/database';
import { integer, statement, text } from '../kit/statement';

/** Finds the grants whose report can still change something. */
@Injectable()
export class AwaitedReports {
  constructor(private readonly database: Database) {}

  /**
   * Returns the grants whose result would be the first one of the latest attempt of their run. The run may have ended
   * meanwhile because the result was missing.
   */
  async among(grants: Grant[]): Promise<Grant[]> {
    const awaited = await this.database.query(AWAITED_REPORTS, [
      grants.map(({ runId }) => runId),
      grants.map(({ attempt }) => attempt),
      grants.map(({ grantEpoch = null }) => grantEpoch),
    ]);
    return awaited.flatMap(({ nth }) => grants[nth - 1] ?? []);
  }
}

/** The SQL of the ReportState of an attempt `a` of a run `r`. */
const STATE_OF_REPORT = `
  case
    when a.outcome in ('finished', 'failed') then 'reported'
    when r.state <> 'finished' and r.attempt = a.attempt then 'counts'
    when not r.cancelled and r.attempt = a.attempt and a.outcome in ('expired', 'lost') then 'late'
    else 'over'
  end`;

/** The SQL condition that the attempt `a` was granted in this epoch; true if the epoch is null. */
function isOfEpoch(epoch: string): string {
  return `coalesce(a.epoch = ${epoch}, true)`;
}

/**
 * The ReportState of the attempt $2 of the run $1, granted to the worker $3 in the epoch $4; no row if it was not
 * granted.
 */
export const REPORT_STATE = statement(
  { state: text.as<ReportState>() },
  `
  select ${STATE_OF_REPORT} as state
  from attempts a join runs r using (run_id)
  where a.run_id = $1 and a.attempt = $2 and a.worker = $3 and ${isOfEpoch('$4::bigint')}`,
);

/**
 * The positions of the grants (attempts $2 of the runs $1, in the epochs $3) that have an awaited result, whichever
 * worker has them.
 */
const AWAITED_REPORTS = statement(
  { nth: integer },
  `
  select asked.nth::integer
  from unnest($1::bigint[], $2::integer[], $3::bigint[]) with ordinality as asked (run_id, attempt, epoch, nth)
  join attempts a using (run_id, attempt) join runs r using (run_id)
  where ${isOfEpoch('asked.epoch')} and ${STATE_OF_REPORT} in ('counts', 'late')`,
);
