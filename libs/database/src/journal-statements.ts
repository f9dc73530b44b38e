import type { ResultFileName } from '@proctor/contracts';
import type { Write } from '@proctor/dispatch';
import { CLOCK } from './horizon';
import { REQUEST_COLUMNS } from './record';

/** The architecture's row, if it is still at this epoch, locked against a change of owner. */
export const EPOCH = 'select 1 from dispatchers where arch = $1 and epoch = $2 for share';

const DISPATCHED_RUN = `
  select r.run_id as "runId", ${REQUEST_COLUMNS},
    coalesce(r.retried_by, r.requestor_id) as "requestorId",
    (extract(epoch from r.created_at) * 1000)::float8 as "arrivedAt", r.attempt,
    (select count(*) from attempts l where l.run_id = r.run_id and l.outcome in ('expired', 'lost'))::integer
      as "attemptsLost",
    r.state, a.worker as "latestWorker", a.incarnation, a.slot
  from runs r left join attempts a using (run_id, attempt)`;

const BY_ARRIVAL = 'order by r.created_at, r.run_id';

export const LOAD = `${DISPATCHED_RUN} where r.arch = $1 and r.state <> 'finished' ${BY_ARRIVAL}`;

export const ARRIVALS = `${DISPATCHED_RUN}
  where r.arch = $1 and not r.taken_in and r.state = 'queued' ${BY_ARRIVAL} limit $2`;

export const FINISHED_ATTEMPT = `
  select attempt from runs where run_id = $1 and state = 'finished' and not cancelled`;

export const ORDERS = `
  select o.order_id as "orderId", o.kind, o.run_id as "runId", u.name as by, r.attempt, r.worker
  from orders o join users u on u.user_id = o.actor_id join runs r using (run_id)
  where o.arch = $1 and not o.taken_in order by o.order_id limit $2`;

/**
 * The writes of $1 whose run is as its fence says, locked: the first part of every statement. Each row is looked up by
 * its id and nothing else, behind `offset 0`, since before the table's first statistics (a minute after a flood began)
 * the planner would rather go through all unfinished runs for each write.
 */
function expected(columns: string, fence: string): string {
  return `
    expected as materialized (
      select w.*, r.taken_in, r.started_at
      from jsonb_to_recordset($1::jsonb) as w("runId" integer, ${columns}) cross join lateral (
        select arch, state, attempt, taken_in, started_at from runs where run_id = w."runId"
        offset 0 for no key update
      ) r
      where r.arch = $2 and ${fence}
    )`;
}

/**
 * A statement for each kind of write: $1 is the JSON array of the writes, each about another run, $2 the architecture.
 * Each answers the ids of the runs whose fence held, the others are as before.
 */
export const APPLY: Record<Write['kind'], string> = {
  // A run that was taken in before is left as it is: a dispatcher that has loaded anew does not know.
  'take-in': `
    with ${expected('kind text', `r.state <> 'finished'`)},
    changed as (
      update runs r set taken_in = true from expected e where r.run_id = e."runId" and not e.taken_in
    )
    select "runId" from expected`,

  // As with taking a run in: whether somebody has done it before is all the same.
  'order-taken': `
    with taken as (
      update orders o set taken_in = true
      from jsonb_to_recordset($1::jsonb) as w("orderId" integer, "runId" integer)
      where o.order_id = w."orderId" and o.run_id = w."runId" and o.arch = $2
      returning o.run_id
    )
    select run_id as "runId" from taken`,

  grant: `
    with ${CLOCK},
    ${expected(
      'attempt integer, worker text, incarnation text, slot integer',
      `r.attempt = w.attempt - 1 and r.state = 'queued'`,
    )},
    changed as (
      update runs r set state = 'leased', attempt = e.attempt, worker = e.worker, started_at = null, taken_in = true
      from expected e where r.run_id = e."runId"
    ),
    granted as (
      insert into attempts (run_id, attempt, worker, incarnation, slot, epoch, granted_at)
      select e."runId", e.attempt, e.worker, e.incarnation, e.slot, d.epoch, clock.now
      from expected e, clock, dispatchers d where d.arch = $2
    )
    select "runId" from expected`,

  start: `
    with ${CLOCK},
    ${expected('attempt integer', `r.attempt = w.attempt and r.state = 'leased'`)},
    changed as (
      update runs r set state = 'running', started_at = clock.now from expected e, clock where r.run_id = e."runId"
    ),
    started as (
      update attempts a set started_at = clock.now from expected e, clock
      where a.run_id = e."runId" and a.attempt = e.attempt
    )
    select "runId" from expected`,

  requeue: `
    with ${CLOCK},
    ${expected(
      'attempt integer, outcome text, reason text',
      `r.attempt = w.attempt and r.state in ('leased', 'running')`,
    )},
    changed as (
      update runs r set state = 'queued', worker = null from expected e where r.run_id = e."runId"
    ),
    ended as (
      update attempts a set ended_at = clock.now, outcome = e.outcome, reason = e.reason
      from expected e, clock where a.run_id = e."runId" and a.attempt = e.attempt
    )
    select "runId" from expected`,

  // The run may wait again: a result of the latest attempt counts until another attempt is granted.
  finish: `
    with ${CLOCK},
    ${expected(
      'attempt integer, "attemptOutcome" text, outcome jsonb, worker text',
      `r.attempt = w.attempt and r.state <> 'finished'`,
    )},
    timed as (
      select e.*, (e.outcome ->> 'durationSeconds')::integer as duration, clock.now,
        coalesce(e.started_at, clock.now - make_interval(secs => (e.outcome ->> 'durationSeconds')::integer)) as start
      from expected e, clock
    ),
    changed as (
      update runs r set state = 'finished', worker = t.worker,
        verdict = t.outcome ->> 'verdict',
        message = t.outcome ->> 'message',
        exit_code = (t.outcome ->> 'exitCode')::smallint,
        version = coalesce(t.outcome ->> 'version', 'n/a'),
        duration_seconds = t.duration,
        log_size = ${sizeOf('log.gz')},
        artifacts_size = ${sizeOf('artifacts.tar.gz')},
        started_at = t.start,
        finished_at = t.now,
        updated_at = t.now
      from timed t where r.run_id = t."runId"
    ),
    ended as (
      update attempts a set ended_at = t.now, outcome = t."attemptOutcome", started_at = t.start
      from timed t where a.run_id = t."runId" and a.attempt = t.attempt
    )
    select "runId" from expected`,
};

function sizeOf(file: ResultFileName): string {
  return `(select (f ->> 'size')::bigint from jsonb_array_elements(t.outcome -> 'files') f where f ->> 'name' = '${file}')`;
}
