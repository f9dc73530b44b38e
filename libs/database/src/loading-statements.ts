/**
 * The first $2 rows `r` in that order, read by the index that has it. A planner that expects fewer rows than a limit sorts
 * all there are, and before the first statistics it expects a few hundred, however many there are. It knows nothing of
 * the inner limit, and takes it for a tenth of the rows; the outer one tells it how many come out.
 */
function firstInOrder(rows: string, order: string): string {
  return `
    select * from (select * from ${rows} order by ${order} limit (select $2::integer)) r order by ${order} limit $2`;
}

/** Runs `r` that match, oldest first, $2 at most: they are chosen by an index before anything else is looked at. */
function oldestWhere(condition: string): string {
  return firstInOrder(`runs r where ${condition}`, 'r.created_at, r.run_id');
}

/**
 * Rows of the architecture $1 that wait to be dealt with, by ascending ids, $2 at most, chosen before anything else is
 * looked at. `r.arch = $1` would let the primary key give this order, too, and statistics of when many waited would make
 * the planner walk it past all rows that were dealt with since. The order of a range of architectures has one index
 * only: the partial one of what waits.
 */
export function waitingRows(table: 'orders' | 'facts', isWaiting: string, id: string): string {
  return firstInOrder(`${table} r where r.arch between $1 and $1 and ${isWaiting}`, `r.arch, r.${id}`);
}

/**
 * The rows of `runs` that `chosen` gives, oldest first, as a dispatcher holds them. Lists are null when they are empty,
 * and attempts are looked for only where there are any: most of a long queue was never granted.
 */
function dispatchedRuns(chosen: string): string {
  return `
  select r.run_id as "runId", r.package, r.suite, r.arch, r.backend, r.variant, r.priority, r.trigger,
    nullif(r.pin_packages, '[]') as "pinPackages", nullif(r.extra_apt_sources, '[]') as "extraAptSources",
    r.is_private as "isPrivate", u.name as requestor,
    (extract(epoch from r.created_at) * 1000)::float8 as "arrivedAt",
    greatest(0, extract(epoch from statement_timestamp() - r.created_at) * 1000)::float8 as "waitedMs",
    r.attempt, coalesce(latest.epoch, 0) as "grantEpoch", r.state,
    case when r.attempt > 0 then (
      select array_agg(a.worker order by a.attempt) from attempts a
      where a.run_id = r.run_id and a.outcome in ('expired', 'lost', 'failed')
    ) end as "lostBy",
    latest.worker as "latestWorker", latest.incarnation, latest.slot, latest."heldMs", latest.outcome,
    latest."endedAgoMs", latest.reason
  from (${chosen}) r
  join users u on u.user_id = coalesce(r.retried_by, r.requestor_id)
  left join lateral (
    select a.epoch, a.worker, a.incarnation, a.slot, a.outcome, a.reason,
      greatest(0, extract(epoch from statement_timestamp() - a.granted_at) * 1000)::float8 as "heldMs",
      greatest(0, extract(epoch from statement_timestamp() - a.ended_at) * 1000)::float8 as "endedAgoMs"
    from attempts a where r.attempt > 0 and a.run_id = r.run_id and a.attempt = r.attempt offset 0
  ) latest on true
  order by r.created_at, r.run_id`;
}

const UNFINISHED = `r.arch = $1 and r.state <> 'finished'`;

export const FIRST_PAGE = dispatchedRuns(oldestWhere(UNFINISHED));

/** Those that arrived after the run $4, which did so $3 milliseconds after the epoch. */
export const NEXT_PAGE = dispatchedRuns(
  oldestWhere(`${UNFINISHED}
    and (r.created_at, r.run_id) > (timestamptz 'epoch' + $3::float8 * interval '1 millisecond', $4)`),
);

export const ARRIVALS = dispatchedRuns(oldestWhere(`r.arch = $1 and not r.taken_in and r.state = 'queued'`));

/** Of the runs $2, each looked up by its id and nothing else, whatever the statistics say. */
export const UNFINISHED_OF = dispatchedRuns(`
    select r.* from unnest($2::bigint[]) as wanted(run_id) cross join lateral (
      select * from runs where run_id = wanted.run_id offset 0
    ) r where ${UNFINISHED}`);

/** What a cancelled run was is found in its row, which nobody changes any more. */
export const ORDERS = `
  select o.order_id as "orderId", o.kind, o.run_id as "runId", o.priority, u.name as by, r.attempt,
    coalesce(r.epoch, 0) as "grantEpoch", r.worker, o.worker as subject, o.reason
  from (${waitingRows('orders', 'not r.taken_in', 'order_id')}) o
  join users u on u.user_id = o.actor_id
  left join lateral (
    select attempt, worker, (
      select epoch from attempts where attempts.run_id = runs.run_id and attempts.attempt = runs.attempt
    )
    from runs where run_id = o.run_id offset 0
  ) r on true
  order by o.order_id`;

export const PAUSES = `
  select p.arch, p.suite, u.name as by, p.reason, p.since
  from pauses p join users u on u.user_id = p.actor_id order by p.since, p.pause_id`;

export const PAUSES_OF_ARCH = `
  select p.suite, u.name as by, p.reason, p.since
  from pauses p join users u on u.user_id = p.actor_id
  where p.arch = $1 or p.arch is null order by p.since, p.pause_id`;

export const DRAINS = `
  select d.worker, u.name as by, d.reason, d.since
  from drains d join users u on u.user_id = d.actor_id order by d.since, d.worker`;

export const REGISTERED_WORKERS = `
  select name as worker, architectures, may_run_private as "mayRunPrivate", revoked_at is not null as "isRevoked"
  from workers order by name`;

/** More than that are not remembered in memory either; the newest are the likeliest to be there still. */
const JUDGEMENTS_MAX = 10_000;

/** Workers that are not sound. */
export const JUDGEMENTS = `
  select worker, standing, reason,
    greatest(0, extract(epoch from statement_timestamp() - at) * 1000)::float8 as "agoMs"
  from (
    select * from (
      select distinct on (worker) * from worker_judgements where arch = $1 order by worker, judgement_id desc
    ) newest where standing <> 'sound' order by judgement_id desc limit ${JUDGEMENTS_MAX}
  ) judged order by worker`;

/** More would be no number any more; nothing is left after so many. */
const HALF_LIVES_MAX = 1_000;

export const USAGE = `
  select u.name as requestor, s.slot_ms * left_of as "slotMs", s.public_slot_ms * left_of as "publicSlotMs"
  from usage s join users u using (user_id), lateral (
    select power(0.5, least(${HALF_LIVES_MAX},
      greatest(0, extract(epoch from statement_timestamp() - s.at)) * 1000 / $2))::float8 as left_of
  ) decay
  where s.arch = $1 order by u.name`;

/** The $2 that were learned last, the latest of them at the end. */
export const DURATIONS = `
  select package, seconds * 1000 as "durationMs" from (
    select * from package_durations where arch = $1 order by learned_at desc, package desc limit $2
  ) newest order by learned_at, package`;

/** ReportState of an attempt `a` of a run `r`. */
const STATE_OF_REPORT = `
  case
    when a.outcome in ('finished', 'failed') then 'reported'
    when r.state <> 'finished' and r.attempt = a.attempt then 'counts'
    when not r.cancelled and r.attempt = a.attempt and a.outcome in ('expired', 'lost') then 'late'
    else 'over'
  end`;

/** Whether an attempt `a` was granted in this epoch; null when that is not known. */
function isOfEpoch(epoch: string): string {
  return `coalesce(a.epoch = ${epoch}, true)`;
}

/** The ReportState of the attempt $2 of the run $1 by the worker $3, granted in the epoch $4; no row when it was not. */
export const REPORT_STATE = `
  select ${STATE_OF_REPORT} as state
  from attempts a join runs r using (run_id)
  where a.run_id = $1 and a.attempt = $2 and a.worker = $3 and ${isOfEpoch('$4::bigint')}`;

/** Which of the grants ($2 of the runs $1, in the epochs $3) have an awaited result, whoever was granted them. */
export const AWAITED_RESULTS = `
  select asked.nth::integer
  from unnest($1::bigint[], $2::integer[], $3::bigint[]) with ordinality as asked (run_id, attempt, epoch, nth)
  join attempts a using (run_id, attempt) join runs r using (run_id)
  where ${isOfEpoch('asked.epoch')} and ${STATE_OF_REPORT} in ('counts', 'late')`;
