import type { RunRequest } from '@proctor/contracts';
import type { Transaction } from './database';
import { recordFacts, userActor } from './fact-statements';
import { announceUpdate, CLOCK } from './horizon';
import { rememberRequested } from './known-packages';
import { REQUEST_COLUMNS } from './run-columns';
import { arraysOf, bigint, namesOf, type Statement, statement, valuesOf } from './statement';

/** Who asked, and by which key. */
export interface Submitter {
  userId: number;
  keyId: number;
}

/**
 * The connection executes the three statements in this order; sent together they cost one round trip.
 * @returns the ids in the order of the requests, one submission after the other
 */
export async function insertRuns(
  transaction: Transaction,
  submissions: { requests: RunRequest[]; submitter: Submitter }[],
): Promise<number[]> {
  const requests = submissions.flatMap((submission) => submission.requests);
  if (requests.length === 0) return [];
  const [first, ...others] = submissions;
  const { userId, keyId } = first!.submitter;
  const ofEach = (value: (submitter: Submitter) => number): number[] =>
    submissions.flatMap((each) => each.requests.map(() => value(each.submitter)));
  const [statement, owners] =
    others.length === 0
      ? [INSERT, [userId, keyId]]
      : [INSERT_OF_SEVERAL, [ofEach((each) => each.userId), ofEach((each) => each.keyId)]];
  const [, , rows] = await Promise.all([
    rememberRequested(transaction, requests),
    announceUpdate(transaction),
    transaction.query(statement, [...valuesOf<RunRequest>(REQUEST_COLUMNS, requests), ...owners]),
  ]);
  return rows.map((row) => row.runId);
}

const REQUEST = namesOf(REQUEST_COLUMNS);

/** Parameters behind those of the requests: a user and a key, or an array of each. */
const [USER, KEY] = [1, 2].map((place) => `$${Object.keys(REQUEST_COLUMNS).length + place}`) as [
  string,
  string,
];

/**
 * The sequence is looked up once for all rows: that takes as long as to insert one.
 * @param owners SQL of whose the runs are: constants, or columns of further arrays
 */
function insertOf(owners: {
  arrays?: string;
  names?: string;
  requestor: string;
  key: string;
  actor: string;
}): Statement<{
  runId: number;
}> {
  return statement(
    { runId: bigint },
    `
  with ${CLOCK},
  request as materialized (
    select nextval((select pg_get_serial_sequence('runs', 'run_id')::regclass)) as run_id, item.*
    from unnest(${arraysOf(REQUEST_COLUMNS)}${owners.arrays ?? ''})
      with ordinality as item(${REQUEST}${owners.names ?? ''}, place)
  ),
  inserted as (
    insert into runs (run_id, ${REQUEST}, requestor_id, api_key_id, created_at, updated_at)
    select run_id, ${REQUEST}, ${owners.requestor}, ${owners.key}, clock.now, clock.updated
    from request, clock
  ),
  told as (${recordFacts({
    kind: 'requested',
    state: 'queued',
    attempt: '0',
    actor: owners.actor,
    from: 'request f, clock',
  })})
  select run_id as "runId" from request order by place`,
  ).prepared;
}

/** Of one submitter. */
const INSERT = insertOf({ requestor: USER, key: KEY, actor: userActor(USER) });

/** Of several: with a user and a key for each request. */
const INSERT_OF_SEVERAL = insertOf({
  arrays: `, ${USER}::integer[], ${KEY}::integer[]`,
  names: ', requestor_id, api_key_id',
  requestor: 'requestor_id',
  key: 'api_key_id',
  actor: userActor('f.requestor_id'),
});
