import { UP_SINCE } from '../kit/servers';
import { bigint, statement, text } from '../kit/statement';

/**
 * Of an ownership. It ends with the server under which it began: after a restore, a crash, or when a copy has taken over, the
 * rows may be of an earlier moment than what its owner has in memory, and numbers of transactions that it has seen are given again.
 */
export const IN_FORCE = `expires_at > clock_timestamp() and server_started_at = ${UP_SINCE}`;

/**
 * The architecture's row if it is still at this epoch and its ownership in force, locked against a change of the epoch: the last statement of each
 * turn. Nothing is written under an epoch that is over, and nothing waits long for a turn:
 * - An epoch that has ended before is seen here, since each statement looks at what is committed when it begins; one that
 *   is just being ended is waited for, and seen then. The whole turn is rolled back.
 * - Who ends the epoch after this waits for the commit, which follows at once, and loads what it wrote.
 * - A renewal changes no column of a unique index (dispatchers_epoch), so it neither waits for this lock nor makes it
 *   wait: PostgreSQL's KEY SHARE conflicts with changes of keys only.
 */
export const EPOCH = statement(
  { arch: text },
  `select arch from dispatchers where arch = $1 and epoch = $2 and ${IN_FORCE} for key share`,
).asPrepared;

/** $1 in milliseconds, for each statement of the transaction and for each pause of its client. */
export const LIMIT_TURN = statement(
  { ofStatements: text, ofPauses: text },
  `
  select set_config('statement_timeout', $1, true) as "ofStatements",
    set_config('idle_in_transaction_session_timeout', $1, true) as "ofPauses"`,
).asPrepared;

/**
 * The runs of a turn, locked in the order of their ids. All who lock several runs and wait for them do so in this order,
 * so that no two wait for each other in a circle.
 */
export const LOCK_RUNS = statement(
  { count: bigint },
  `
  select count(*) from unnest($1::bigint[]) as turn(run_id) cross join lateral (
    select from runs where run_id = turn.run_id offset 0 for no key update
  ) r`,
).asPrepared;
