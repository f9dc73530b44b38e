import { Injectable } from '@nestjs/common';
import { supersedes } from '@proctor/dispatch';
import { Database, type Transaction } from '../kit/database';
import { recordUpdateTime } from '../kit/horizon';
import { currentWait } from '../kit/request-wait';
import { bigint, boolean, namesOf, type Statement, statement, text } from '../kit/statement';
import { endRuns } from './early-ends';
import { TEST_COLUMNS } from './run-columns';

/** That new runs of a suite supersede those of the same test with an older version in their trigger. */
export interface SupersedeRule {
  suite: string;
  /** Whether leased and running runs end, too. */
  running: boolean;
  /** Whether public runs of other users end, too. */
  acrossUsers: boolean;
}

/** Ends runs that newer requests have made useless. */
@Injectable()
export class Superseding {
  constructor(private readonly database: Database) {}

  /**
   * Ends the runs that committed runs of one submission supersede, in steps. It may be repeated. Retries stay: a user wants a result
   * of that version.
   * @returns how many runs it ended
   */
  async apply(newRunIds: number[], rules: SupersedeRule[]): Promise<number> {
    const ruleColumns = [
      rules.map(({ suite }) => suite),
      rules.map(({ running }) => running),
      rules.map(({ acrossUsers }) => acrossUsers),
    ];
    const { rowsPerTransactionMax } = this.database.limits;
    let count = 0;
    for (let after: number | undefined = 0; after !== undefined;) {
      const rows: Candidate[] = await this.database.query(CANDIDATES, [
        newRunIds,
        ...ruleColumns,
        after,
        rowsPerTransactionMax,
      ]);
      const superseded = rows.filter(({ newer, older }) => supersedes(newer, older));
      if (superseded.length > 0) count += await this.end(superseded);
      after = rows.length < rowsPerTransactionMax ? undefined : rows.at(-1)!.runId;
      currentWait()?.restart();
    }
    return count;
  }

  private end(superseded: Candidate[]): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const runs = await lockUnfinished(transaction, superseded);
      if (runs.length === 0) return 0;
      await recordUpdateTime(transaction);
      await transaction.query(END, [runs.map(({ runId }) => runId), runs.map(({ newRunId }) => newRunId)]);
      return runs.length;
    });
  }
}

type Candidate = typeof CANDIDATES extends Statement<infer Row> ? Row : never;

/** A run may have begun since it was selected. */
async function lockUnfinished(transaction: Transaction, superseded: Candidate[]): Promise<Candidate[]> {
  const rows = await transaction.query(LOCK, [superseded.map(({ runId }) => runId)]);
  const isQueued = new Map(rows.map((row) => [row.runId, row.isQueued]));
  return superseded.filter(({ runId, running }) => isQueued.get(runId) || (running && isQueued.has(runId)));
}

const TEST = namesOf(TEST_COLUMNS);
/** Triggers with longer texts are not compared. */
const TRIGGER_LENGTH_MAX = 10_000;

function sourcesOf(run: string): string {
  return `regexp_replace(${run}.trigger, '/[^ ]*', '', 'g')`;
}

/** If several new runs are of one test, the last counts. */
const CANDIDATES = statement(
  { runId: bigint, older: text.orNull, newRunId: bigint, newer: text.orNull, running: boolean },
  `
  with newest as (
    select distinct on (${TEST}, n.is_private, sources) ${TEST}, n.is_private, n.api_key_id, n.requestor_id, n.run_id, n.trigger,
      ${sourcesOf('n')} as sources, rule.running, rule.across_users
    from runs n join unnest($2::text[], $3::boolean[], $4::boolean[]) as rule(suite, running, across_users) using (suite)
    where n.run_id = any($1::bigint[]) and length(n.trigger) <= ${TRIGGER_LENGTH_MAX}
    order by ${TEST}, n.is_private, sources, n.run_id desc
  )
  select r.run_id as "runId", r.trigger as older, newest.run_id as "newRunId", newest.trigger as newer, newest.running
  from newest join runs r using (${TEST}, is_private)
  where r.run_id > $5::bigint and r.run_id < newest.run_id and r.state <> 'finished' and r.retry_of is null
    and (r.state = 'queued' or newest.running) and length(r.trigger) <= ${TRIGGER_LENGTH_MAX}
    and ${sourcesOf('r')} = newest.sources
    and case when is_private then r.api_key_id = newest.api_key_id
      else newest.across_users or r.requestor_id = newest.requestor_id end
  order by r.run_id limit $6::integer`,
);

const LOCK = statement(
  { runId: bigint, isQueued: boolean },
  `
  select run_id as "runId", state = 'queued' as "isQueued" from runs
  where run_id = any($1::bigint[]) and state <> 'finished' order by run_id for no key update`,
);

const END = endRuns(
  'superseded',
  `select old.run_id, 'superseded by run ' || n.run_id as message, n.requestor_id as actor_id,
      'superseded by run ' || n.run_id as reason, n.run_id as superseded_by
    from unnest($1::bigint[], $2::bigint[]) as old(run_id, new_run_id) join runs n on n.run_id = old.new_run_id`,
);
