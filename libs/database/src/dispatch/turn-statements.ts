import { UP_SINCE } from '../kit/servers';
import { bigint, statement, text } from '../kit/statement';

/**
 * The condition that an ownership is in force. An ownership ends with the server under which it began: after a
 * restore, a crash or the promotion of a copy, the rows may be older than the owner's memory, and the server may give
 * out transaction numbers again that the owner has seen.
 */
export const IN_FORCE = `expires_at > clock_timestamp() and server_started_at = ${UP_SINCE}`;

/**
 * The last statement of each turn: the row of the architecture if it still has this epoch and its ownership is in
 * force, locked against a change of the epoch. Nothing is written under an epoch that is over, and nothing waits long
 * for a turn:
 * - An epoch that ended earlier is noticed here, because each statement sees what was committed when it begins. If
 * the epoch is being ended at this moment, the statement waits for that and then notices it. The whole turn is rolled
 * back.
 * - A scheduler that ends the epoch later waits for the commit, which follows at once, and loads what the turn wrote.
 * - A renewal changes no column of a unique index (dispatchers_epoch). So it does not wait for this lock, nor this
 * lock for it: PostgreSQL's KEY SHARE conflicts only with changes of keys.
 */
export const EPOCH = statement(
  { arch: text },
  `select arch from dispatchers where arch = $1 and epoch = $2 and ${IN_FORCE} for key share`,
).asPrepared;

/** Sets the limit $1, in milliseconds, for each statement of the transaction and for each pause of its client. */
export const LIMIT_TURN = statement(
  { ofStatements: text, ofPauses: text },
  `
  select set_config('statement_timeout', $1, true) as "ofStatements",
    set_config('idle_in_transaction_session_timeout', $1, true) as "ofPauses"`,
).asPrepared;

/**
 * Locks the runs of a turn in the order of their ids. All transactions that wait for locks on several runs use this
 * order, so they cannot deadlock.
 */
export const LOCK_RUNS = statement(
  { count: bigint },
  `
  select count(*) from unnest($1::bigint[]) as turn(run_id) cross join lateral (
    select from runs where run_id = turn.run_id offset 0 for no key update
  ) r`,
).asPrepared;
