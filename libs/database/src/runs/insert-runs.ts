import type { RunRequest } from '@proctor/contracts';
import type { Transaction } from '../kit/database';
import { recordFacts, userActor } from './facts';
import { recordUpdateTime, CLOCK } from '../kit/horizon';
import { rememberRequestedPackages } from './packages';
import { REQUEST_COLUMNS } from './run-columns';
import { arraysOf, bigint, namesOf, type Statement, statement, valuesOf } from '../kit/statement';

/** The user who submits, and the key. */
export interface Submitter {
  userId: number;
  keyId: number;
}

/** Rows of one statement: encoding the parameters of more would block the process for too long. */
const ROWS_MAX = 2_000;
/** The length of the texts in the requests of one statement, about, in UTF-16 units. */
const TEXTS_LENGTH_MAX = 512 * 1024;

/**
 * Inserts runs. The first three statements are sent together and cost one round trip; a long list needs more.
 * @returns the ids in the order of the requests, one submission after the other
 */
export async function insertRuns(
  transaction: Transaction,
  submissions: { requests: RunRequest[]; submitter: Submitter }[],
): Promise<number[]> {
  const requests = submissions.flatMap((submission) => submission.requests);
  if (requests.length === 0) return [];
  const submitters =
    submissions.length === 1
      ? submissions[0]!.submitter
      : submissions.flatMap((each) => each.requests.map(() => each.submitter));
  const insert = (part: Part): Promise<{ runId: number }[]> => {
    const [statement, owners] = ownersOf(submitters, part);
    const rows = requests.slice(part.from, part.to);
    return transaction.query(statement, [...valuesOf<RunRequest>(REQUEST_COLUMNS, rows), ...owners]);
  };
  const [first, ...others] = partsOf(requests);
  const [, , rows] = await Promise.all([
    rememberRequestedPackages(transaction, requests),
    recordUpdateTime(transaction),
    insert(first!),
  ]);
  const runIds = rows.map((row) => row.runId);
  for (const part of others) for (const { runId } of await insert(part)) runIds.push(runId);
  return runIds;
}

/** Rows that one statement inserts. */
interface Part {
  from: number;
  to: number;
}

function partsOf(requests: RunRequest[]): Part[] {
  const parts: Part[] = [{ from: 0, to: 0 }];
  let length = 0;
  for (const request of requests) {
    const last = parts.at(-1)!;
    length += textLength(request);
    const hasRoom = last.to - last.from < ROWS_MAX && length <= TEXTS_LENGTH_MAX;
    if (hasRoom || last.to === last.from) {
      last.to += 1;
    } else {
      parts.push({ from: last.to, to: last.to + 1 });
      length = textLength(request);
    }
  }
  return parts;
}

function textLength({ trigger, pinPackages }: RunRequest): number {
  return pinPackages.reduce((sum, [spec]) => sum + spec.length, trigger?.length ?? 0);
}

function ownersOf(
  submitters: Submitter | Submitter[],
  { from, to }: Part,
): [Statement<{ runId: number }>, unknown[]] {
  if (!Array.isArray(submitters)) return [INSERT, [submitters.userId, submitters.keyId]];
  const own = submitters.slice(from, to);
  return [INSERT_OF_SEVERAL, [own.map((each) => each.userId), own.map((each) => each.keyId)]];
}

const REQUEST = namesOf(REQUEST_COLUMNS);

/** Parameters after those of the requests: a user and a key, or an array of each. */
const [USER, KEY] = [1, 2].map((place) => `$${Object.keys(REQUEST_COLUMNS).length + place}`) as [
  string,
  string,
];

/**
 * Builds the insert statement. It finds the sequence once for all rows: that takes as long as inserting one row.
 * @param owners the SQL of the owners of the runs: constants, or columns of further arrays
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
  new_facts as (${recordFacts({
    kind: 'requested',
    state: 'queued',
    attempt: '0',
    actor: owners.actor,
    from: 'request f, clock',
  })})
  select run_id as "runId" from request order by place`,
  ).asPrepared;
}

/** Inserts runs of one user and key. */
const INSERT = insertOf({ requestor: USER, key: KEY, actor: userActor(USER) });

/** Inserts runs of several users, with a user and a key for each request. */
const INSERT_OF_SEVERAL = insertOf({
  arrays: `, ${USER}::integer[], ${KEY}::integer[]`,
  names: ', requestor_id, api_key_id',
  requestor: 'requestor_id',
  key: 'api_key_id',
  actor: userActor('f.requestor_id'),
});
