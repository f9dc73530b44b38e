import type { AttemptOutcome, ResultFileName } from '@proctor/contracts';
import type { RunOutcome, Write } from '@proctor/dispatch';
import { recordFacts } from './fact-statements';
import { CLOCK } from './horizon';
import {
  bigint,
  type ColumnsOf,
  integer,
  jsonb,
  propertiesOf,
  type Statement,
  statement,
  text,
} from './statement';
import { JUDGE_WORKERS, KEEP_USAGE } from './usage-and-judgements';

type WriteOf<Kind extends Write['kind']> = Extract<Write, { kind: Kind }>;

/** What writes of a kind tell, beside what they are about. */
type TellingOf<Kind extends Write['kind']> = Omit<WriteOf<Kind>, 'kind' | 'runId'>;

/**
 * The writes of $1 whose run is as its fence says, locked: the first part of every statement. Each row is looked up by
 * its id and nothing else, behind `offset 0`, since before the table's first statistics (a minute after a flood began)
 * the planner would rather go through all unfinished runs for each write.
 */
function expected<Kind extends Write['kind']>(columns: ColumnsOf<TellingOf<Kind>>, fence: string): string {
  return `
    expected as materialized (
      select w.*, r.run_id, r.arch, r.suite, r.package, r.is_private, r.taken_in, r.started_at, r.finished_at
      from jsonb_to_recordset($1::jsonb) as w(${propertiesOf({ runId: bigint, ...columns })}) cross join lateral (
        select run_id, arch, suite, package, is_private, state, attempt, cancelled, taken_in, started_at, finished_at
        from runs where run_id = w."runId" offset 0 for no key update
      ) r
      where r.arch = $2 and ${fence}
    )`;
}

/** What a moving average takes of each new value. */
const NEWEST_WEIGHT = 0.3;

/** The share of the old average that is left when as many values as `excluded.runs` have come. */
const OLD_SHARE = `power(${1 - NEWEST_WEIGHT}, excluded.runs)`;

const EXPIRED_OR_LOST = `('expired', 'lost')`;

/** Sets what an outcome tells of a run, of rows `t` with the outcome, duration, start and updated. */
const RESULT_OF_RUN = `
        verdict = t.outcome ->> 'verdict',
        message = t.outcome ->> 'message',
        exit_code = (t.outcome ->> 'exitCode')::smallint,
        version = coalesce(t.outcome ->> 'version', 'n/a'),
        duration_seconds = t.duration,
        log_size = ${sizeOf('log.gz', 't.outcome')},
        artifacts_size = ${sizeOf('artifacts.tar.gz', 't.outcome')},
        tests = t.outcome -> 'tests',
        started_at = t.start,
        updated_at = t.updated`;

/** What the rows of `timed` that are results of public runs tell of their packages. */
const LEARNED = `
    learned as (
      insert into package_durations as known (arch, package, seconds, runs, learned_at)
      select arch, package, avg(duration), count(*), max(now) from timed
      where is_reported and not is_private and duration is not null group by arch, package order by arch, package
      on conflict (arch, package) do update set runs = known.runs + excluded.runs, learned_at = excluded.learned_at,
        seconds = known.seconds * ${OLD_SHARE} + excluded.seconds * (1 - ${OLD_SHARE})
    )`;

const ORDER_TAKEN = { orderId: integer } satisfies ColumnsOf<Omit<WriteOf<'order-taken'>, 'kind'>>;

/** Answers the runs of the writes that it has made. */
function aboutRuns(sql: string): Statement<{ id: number }> {
  return statement({ id: bigint }, sql);
}

/**
 * A statement for each kind of write: $1 is the JSON array of the writes, each about another thing, $2 the architecture.
 * Each answers, as `id`, what the writes are about whose fence held; the others are as before.
 */
export const APPLY: Record<Write['kind'], Statement<{ id: number | string }>> = {
  // A run that was taken in before is left as it is: a dispatcher that has loaded again does not know.
  'take-in': aboutRuns(`
    with ${expected<'take-in'>({}, `r.state <> 'finished'`)},
    changed as (
      update runs r set taken_in = true from expected e where r.run_id = e.run_id and not e.taken_in
    )
    select run_id as id from expected`),

  // As with taking a run in: it may have been done before. Looked up by ids alone for the same
  // reason as runs: statistics that know no order of this architecture make the planner go through all of them.
  'order-taken': statement(
    { id: integer },
    `
    with expected as materialized (
      select o.order_id, o.arch, o.taken_in from jsonb_to_recordset($1::jsonb) as w(${propertiesOf(ORDER_TAKEN)}) cross join lateral (
        select order_id, arch, taken_in from orders where order_id = w."orderId" offset 0 for no key update
      ) o
    ),
    changed as (
      update orders o set taken_in = true from expected e
      where o.order_id = e.order_id and e.arch = $2 and not e.taken_in
    )
    select order_id as id from expected where arch = $2`,
  ),

  grant: aboutRuns(`
    with ${CLOCK},
    ${expected<'grant'>(
      { attempt: integer, worker: text, incarnation: text, slot: integer },
      `r.attempt = w.attempt - 1 and r.state = 'queued'`,
    )},
    changed as (
      update runs r set state = 'leased', attempt = e.attempt, worker = e.worker, started_at = null, taken_in = true
      from expected e where r.run_id = e.run_id
    ),
    granted as (
      insert into attempts (run_id, attempt, worker, incarnation, slot, epoch, granted_at)
      select e.run_id, e.attempt, e.worker, e.incarnation, e.slot, d.epoch, clock.now
      from expected e, clock, dispatchers d where d.arch = $2
    ),
    told as (${recordFacts({
      kind: 'granted',
      state: 'leased',
      attempt: 'f.attempt',
      actor: `'scheduler'`,
      reason: `'to slot ' || f.slot || ' of ' || f.worker`,
      from: 'expected f, clock',
    })})
    select run_id as id from expected`),

  start: aboutRuns(`
    with ${CLOCK},
    ${expected<'start'>({ attempt: integer }, `r.attempt = w.attempt and r.state = 'leased'`)},
    changed as (
      update runs r set state = 'running', started_at = clock.now from expected e, clock where r.run_id = e.run_id
    ),
    started as (
      update attempts a set started_at = clock.now from expected e, clock
      where a.run_id = e.run_id and a.attempt = e.attempt
      returning a.run_id, e.arch, e.suite, a.attempt, a.worker
    ),
    told as (${recordFacts({
      kind: 'started',
      state: 'running',
      attempt: 'f.attempt',
      actor: `'worker ' || f.worker`,
      from: 'started f, clock',
    })})
    select run_id as id from expected`),

  // The report of a failed attempt may come when the run waits again for another reason, and counts once.
  requeue: aboutRuns(`
    with ${CLOCK},
    ${expected<'requeue'>(
      {
        attempt: integer,
        outcome: text.as<WriteOf<'requeue'>['outcome']>(),
        reason: text,
        result: jsonb.as<RunOutcome>().orNull,
      },
      `r.attempt = w.attempt and (r.state in ('leased', 'running') or r.state = 'queued' and w.result is not null
        and exists (select from attempts a where a.run_id = r.run_id and a.attempt = r.attempt and a.outcome <> 'failed'))`,
    )},
    changed as (
      update runs r set state = 'queued', worker = null from expected e where r.run_id = e.run_id
    ),
    ended as (
      update attempts a set ended_at = coalesce(a.ended_at, clock.now), outcome = e.outcome, reason = e.reason,
        ${resultOf('e.result')}
      from expected e, clock where a.run_id = e.run_id and a.attempt = e.attempt
      returning a.run_id, e.arch, e.suite, a.attempt, a.outcome, a.reason, a.worker
    ),
    told as (${recordFacts({
      kind: 'requeued',
      state: 'queued',
      attempt: 'f.attempt',
      reason: 'f.reason',
      actor: `case when f.outcome in ${EXPIRED_OR_LOST} then 'scheduler' else 'worker ' || f.worker end`,
      from: 'ended f, clock',
    })})
    select run_id as id from expected`),

  // The run may wait again: a result of the latest attempt counts until another attempt is granted.
  finish: aboutRuns(`
    with ${CLOCK},
    ${expected<'finish'>(
      {
        attempt: integer,
        attemptOutcome: text.as<AttemptOutcome>(),
        outcome: jsonb.as<RunOutcome>(),
        worker: text.orNull,
      },
      `r.attempt = w.attempt and r.state <> 'finished'`,
    )},
    timed as (
      select e.*, (e.outcome ->> 'durationSeconds')::integer as duration, clock.now, clock.updated,
        coalesce(e.started_at, clock.now - make_interval(secs => (e.outcome ->> 'durationSeconds')::integer)) as start,
        e."attemptOutcome" = 'finished' as is_reported
      from expected e, clock
    ),
    changed as (
      update runs r set state = 'finished', worker = t.worker,
        ${RESULT_OF_RUN},
        finished_at = t.now
      from timed t where r.run_id = t.run_id
    ),
    ended as (
      update attempts a set ended_at = coalesce(a.ended_at, t.now), outcome = t."attemptOutcome", started_at = t.start,
        reason = case when not t.is_reported then t.outcome ->> 'message' end,
        ${resultOf(`(case when t.is_reported then t.outcome end)`)}
      from timed t where a.run_id = t.run_id and a.attempt = t.attempt
    ),
    ${LEARNED},
    told as (${recordFacts({
      kind: 'finished',
      state: 'finished',
      attempt: 'f.attempt',
      actor: `coalesce(case when f.is_reported then 'worker ' || f.worker end, 'scheduler')`,
      reason: `f.outcome ->> 'message'`,
      verdict: `f.outcome ->> 'verdict'`,
      from: 'timed f, clock',
    })})
    select run_id as id from expected`),

  // The run stays finished, since when it was; those who ask what is new are told of it again.
  correct: aboutRuns(`
    with ${CLOCK},
    ${expected<'correct'>(
      { attempt: integer, grantEpoch: bigint.orNull, worker: text, outcome: jsonb.as<RunOutcome>() },
      `r.attempt = w.attempt and r.state = 'finished' and not r.cancelled
        and exists (select from attempts a where a.run_id = r.run_id and a.attempt = r.attempt
          and coalesce(a.epoch = w."grantEpoch", true) and a.worker = w.worker and a.outcome in ${EXPIRED_OR_LOST})`,
    )},
    timed as (
      select e.*, (e.outcome ->> 'durationSeconds')::integer as duration, clock.now, clock.updated,
        true as is_reported,
        coalesce(e.started_at, e.finished_at - make_interval(secs => (e.outcome ->> 'durationSeconds')::integer)) as start
      from expected e, clock
    ),
    changed as (
      update runs r set worker = t.worker, ${RESULT_OF_RUN} from timed t where r.run_id = t.run_id
    ),
    ended as (
      update attempts a set outcome = 'finished', started_at = t.start, reason = null, ${resultOf('t.outcome')}
      from timed t where a.run_id = t.run_id and a.attempt = t.attempt
    ),
    ${LEARNED},
    told as (${recordFacts({
      kind: 'corrected',
      state: 'finished',
      attempt: 'f.attempt',
      actor: `'worker ' || f.worker`,
      reason: `f.outcome ->> 'message'`,
      verdict: `f.outcome ->> 'verdict'`,
      from: 'timed f, clock',
    })})
    select run_id as id from expected`),

  usage: KEEP_USAGE,
  'judge-worker': JUDGE_WORKERS,
};

/** Sets what an attempt left, of a RunOutcome or null. */
function resultOf(outcome: string): string {
  return `verdict = ${outcome} ->> 'verdict', exit_code = (${outcome} ->> 'exitCode')::smallint,
        log_size = ${sizeOf('log.gz', outcome)}, artifacts_size = ${sizeOf('artifacts.tar.gz', outcome)}`;
}

function sizeOf(file: ResultFileName, outcome: string): string {
  return `(select (f ->> 'size')::bigint from jsonb_array_elements(${outcome} -> 'files') f
          where f ->> 'name' = '${file}')`;
}
