import { Injectable } from '@nestjs/common';
import type { RunRequest } from '@proctor/contracts';
import { Database, type Statements } from './database';
import { recordFacts, userActor } from './fact-statements';
import { announceUpdate, CLOCK } from './horizon';
import { rememberPackages } from './known-packages';
import { type IdempotencyKey, type Once, once } from './once';
import { REQUEST_COLUMNS } from './run-columns';
import { bigint, namesOf, propertiesOf, statement } from './statement';

/** Who asked, and by which key. */
export interface Submitter {
  userId: number;
  keyId: number;
}

/** Accepts requests: each becomes a queued run. */
@Injectable()
export class Submissions {
  constructor(private readonly database: Database) {}

  /**
   * All or nothing, in one transaction.
   * @returns the run ids, in the order of the requests
   * @throws DatabaseUnavailable
   */
  async submit(requests: RunRequest[], submitter: Submitter): Promise<number[]> {
    if (requests.length === 0) return [];
    return this.database.transaction((transaction) => insertRuns(transaction, requests, submitter));
  }

  /**
   * The same, at most once for an idempotency key; the answer is kept in the transaction that creates the runs.
   * @param answer makes the answer, JSON, of the run ids
   * @throws DatabaseUnavailable
   */
  submitOnce(
    key: IdempotencyKey,
    requests: RunRequest[],
    submitter: Submitter,
    answer: (runIds: number[]) => unknown,
  ): Promise<Once> {
    return once(this.database, key, async (transaction) =>
      answer(requests.length === 0 ? [] : await insertRuns(transaction, requests, submitter)),
    );
  }
}

async function insertRuns(
  transaction: Statements,
  requests: RunRequest[],
  submitter: Submitter,
): Promise<number[]> {
  const [, , rows] = await Promise.all([
    rememberPackages(transaction, requests),
    announceUpdate(transaction),
    transaction.query(INSERT, [JSON.stringify(requests), submitter.userId, submitter.keyId]),
  ]);
  return rows.map((row) => row.runId);
}

const REQUEST = namesOf(REQUEST_COLUMNS);

const INSERT = statement(
  { runId: bigint },
  `
  with ${CLOCK},
  request as materialized (
    select nextval(pg_get_serial_sequence('runs', 'run_id')) as run_id, item.*
    from rows from (
      jsonb_to_recordset($1::jsonb) as (${propertiesOf(REQUEST_COLUMNS)})
    ) with ordinality as item(${REQUEST}, place)
  ),
  inserted as (
    insert into runs (run_id, ${REQUEST}, requestor_id, api_key_id, created_at, updated_at)
    select run_id, ${REQUEST}, $2, $3, clock.now, clock.updated
    from request, clock
  ),
  told as (${recordFacts({
    kind: 'requested',
    state: 'queued',
    attempt: '0',
    actor: userActor('$2'),
    from: 'request f, clock',
  })})
  select run_id as "runId" from request order by place`,
).prepared;
