import { Injectable } from '@nestjs/common';
import type { RunRequest } from '@proctor/contracts';
import { CommitGroups } from './commit-groups';
import { Database, type Transaction } from './database';
import { recordFacts, userActor } from './fact-statements';
import { announceUpdate, CLOCK } from './horizon';
import { rememberPackages } from './known-packages';
import { claim, earlier, type IdempotencyKey, keepAnswers, nameOf, type Once } from './once';
import { REQUEST_COLUMNS } from './run-columns';
import { bigint, namesOf, propertiesOf, type Statement, statement, text } from './statement';

/** Who asked, and by which key. */
export interface Submitter {
  userId: number;
  keyId: number;
}

/** What one request asks for. */
interface Submission {
  requests: RunRequest[];
  submitter: Submitter;
  /** Null for a request that may create again what an equal one created. */
  key: IdempotencyKey | null;
  answer: (runIds: number[]) => unknown;
}

/** A longer list has a transaction of its own: others should not wait for it. */
const GROUPED_RUNS_MAX = 20;
/** Of all members of a group. */
const GROUP_RUNS_MAX = 400;
/** In a group, a lock of somebody else is not waited for: its neighbours would wait, too. */
const GROUP_LOCK_TIMEOUT_MS = 50;

/** Accepts requests: each becomes a queued run. */
@Injectable()
export class Submissions {
  private readonly groups: CommitGroups<Submission, Once>;

  constructor(private readonly database: Database) {
    this.groups = new CommitGroups({
      together: (submissions) => this.together(submissions),
      fits,
      requestTimeoutMs: database.limits.requestTimeoutMs,
    });
  }

  /**
   * All or nothing, in one transaction.
   * @returns the run ids, in the order of the requests
   * @throws DatabaseUnavailable
   */
  async submit(requests: RunRequest[], submitter: Submitter): Promise<number[]> {
    if (requests.length === 0) return [];
    const outcome = await this.done({ requests, submitter, key: null, answer: (runIds) => runIds });
    return (outcome as { answer: number[] }).answer;
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
    return this.done({ requests, submitter, key, answer });
  }

  private async done(submission: Submission): Promise<Once> {
    if (submission.requests.length <= GROUPED_RUNS_MAX) return this.groups.do(submission);
    const [outcome] = await this.together([submission]);
    return outcome!;
  }

  /** What becomes of each, in their order, in one transaction. Their idempotency keys differ. */
  private together(submissions: Submission[]): Promise<Once[]> {
    return this.database.transaction(async (transaction) => {
      const [, claimed] = await Promise.all([
        submissions.length > 1 && transaction.query(LOCK_TIMEOUT, [String(GROUP_LOCK_TIMEOUT_MS)]),
        claims(transaction, submissions),
      ]);
      const created = submissions.filter(({ key }) => !key || claimed.has(nameOf(key)));
      const answers = new Map<Submission, unknown>();
      const runIds = await insertRuns(transaction, created);
      let place = 0;
      for (const submission of created) {
        const { length } = submission.requests;
        answers.set(submission, submission.answer(runIds.slice(place, place + length)));
        place += length;
      }
      const kept = created.flatMap((each) =>
        each.key ? [{ key: each.key, answer: answers.get(each) }] : [],
      );
      if (kept.length > 0) await keepAnswers(transaction, kept);
      return Promise.all(
        submissions.map(async (each): Promise<Once> =>
          answers.has(each)
            ? { kind: 'created', answer: answers.get(each) }
            : earlier(transaction, each.key!),
        ),
      );
    });
  }
}

function fits({ requests, key }: Submission, others: Submission[]): boolean {
  const runs = others.reduce((sum, other) => sum + other.requests.length, requests.length);
  const isClaimed = key && others.some((other) => other.key && nameOf(other.key) === nameOf(key));
  return runs <= GROUP_RUNS_MAX && !isClaimed;
}

/** The names of the keys that are claimed now. */
async function claims(transaction: Transaction, submissions: Submission[]): Promise<ReadonlySet<string>> {
  const keys = submissions.flatMap(({ key }) => key ?? []);
  if (keys.length === 0) return new Set();
  const isClaimed = await claim(transaction, keys);
  return new Set(keys.filter((_key, place) => isClaimed[place]).map(nameOf));
}

/** @returns the ids in the order of the requests, one submission after the other */
async function insertRuns(transaction: Transaction, submissions: Submission[]): Promise<number[]> {
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
    rememberPackages(transaction, requests),
    announceUpdate(transaction),
    transaction.query(statement, [JSON.stringify(requests), ...owners]),
  ]);
  return rows.map((row) => row.runId);
}

const LOCK_TIMEOUT = statement({ set: text }, `select set_config('lock_timeout', $1, true) as set`).prepared;

const REQUEST = namesOf(REQUEST_COLUMNS);

/** Whose the runs are: SQL of two columns `requestor_id` and `api_key_id`, as a further function of `rows from` or as constants. */
function insertOf(owners: {
  rows?: string;
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
    select nextval(pg_get_serial_sequence('runs', 'run_id')) as run_id, item.*
    from rows from (
      jsonb_to_recordset($1::jsonb) as (${propertiesOf(REQUEST_COLUMNS)})${owners.rows ?? ''}
    ) with ordinality as item(${REQUEST}${owners.names ?? ''}, place)
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

/** Of one submitter: $2 is the user and $3 the key. */
const INSERT = insertOf({ requestor: '$2', key: '$3', actor: userActor('$2') });

/** $2 and $3 are arrays, with a user and a key for each request. */
const INSERT_OF_SEVERAL = insertOf({
  rows: ', unnest($2::integer[], $3::integer[])',
  names: ', requestor_id, api_key_id',
  requestor: 'requestor_id',
  key: 'api_key_id',
  actor: userActor('f.requestor_id'),
});
