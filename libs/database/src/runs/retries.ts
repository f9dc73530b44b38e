import { Injectable } from '@nestjs/common';
import { Database, type Statements } from '../kit/database';
import { recordFacts, userActor } from './facts';
import { recordUpdateTime, CLOCK } from '../kit/horizon';
import { type IdempotencyKey, type Once, once, RefusedWork } from '../kit/once';
import { REQUEST_COLUMNS } from './run-columns';
import { bigint, boolean, namesOf, statement } from '../kit/statement';

/** Why a run was not retried: `waiting` names an unfinished retry of it that the user may see. */
export type RetryRefusal =
  { kind: 'unknown' } | { kind: 'unfinished'; runId: number } | { kind: 'waiting'; runId: number };

type RetryOutcome = { kind: 'created'; runId: number } | RetryRefusal;

/** The user who retries and gets the slot time counted. */
interface Retrier {
  userId: number;
  keyId: number;
}

/** Repeats finished runs as they were requested, for the same requestor. */
@Injectable()
export class Retries {
  constructor(private readonly database: Database) {}

  /** A private run of another key is unknown. Whether the package is rejected by now is not checked. */
  retry(runId: number, by: Retrier): Promise<RetryOutcome> {
    return this.database.transaction((transaction) => repeat(transaction, runId, by));
  }

  /**
   * Retries a run at most once for an idempotency key. A run that cannot be retried leaves the key unused.
   * @param answer builds the answer, JSON, from the id of the new run
   */
  retryOnce(
    key: IdempotencyKey,
    runId: number,
    by: Retrier,
    answer: (runId: number) => unknown,
  ): Promise<Once | RetryRefusal> {
    return once<RetryRefusal>(this.database, key, async (transaction) => {
      const retried = await repeat(transaction, runId, by);
      return retried.kind === 'created' ? answer(retried.runId) : new RefusedWork<RetryRefusal>(retried);
    });
  }
}

async function repeat(transaction: Statements, runId: number, by: Retrier): Promise<RetryOutcome> {
  const [original] = await transaction.query(LOCK, [runId, by.keyId]);
  if (!original) return { kind: 'unknown' };
  if (!original.isFinished) return { kind: 'unfinished', runId };
  const [waiting] = await transaction.query(WAITING, [runId, by.keyId]);
  if (waiting) return { kind: 'waiting', runId: waiting.runId };
  await recordUpdateTime(transaction);
  const [created] = await transaction.query(REPEAT, [runId, by.userId]);
  return { kind: 'created', runId: created!.runId };
}

/** Locked, so that several retries at the same time see the first of them. */
const LOCK = statement(
  { isFinished: boolean },
  `
  select state = 'finished' as "isFinished" from runs
  where run_id = $1 and (not is_private or api_key_id = $2) for no key update`,
);

/** An unfinished retry that the key may see: the run may have been private when another key retried it. */
const WAITING = statement(
  { runId: bigint },
  `
  select run_id as "runId" from runs
  where retry_of = $1 and state <> 'finished' and (not is_private or api_key_id = $2) order by run_id limit 1`,
);

const AS_ASKED = `${namesOf(REQUEST_COLUMNS)}, requestor_id, api_key_id`;

const REPEAT = statement(
  { runId: bigint },
  `
  with ${CLOCK},
  created as (
    insert into runs (${AS_ASKED}, retry_of, retried_by, created_at, updated_at)
    select ${AS_ASKED}, run_id, $2, clock.now, clock.updated from runs, clock where run_id = $1
    returning run_id, arch, suite, retry_of
  ),
  new_facts as (${recordFacts({
    kind: 'requested',
    state: 'queued',
    attempt: '0',
    actor: userActor('$2'),
    reason: `'repeats run ' || f.retry_of`,
    from: 'created f, clock',
  })})
  select run_id as "runId" from created`,
);
