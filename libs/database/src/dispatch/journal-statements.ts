import type { AttemptOutcome } from '@proctor/contracts';
import type { RunOutcome, Write } from '@proctor/dispatch';
import { CORRECT } from './correction';
import { recordFacts } from '../runs/facts';
import { aboutRuns, EXPIRED_OR_LOST, fencedWrites, type WriteOf } from './fenced-runs';
import { CLOCK } from '../kit/horizon';
import { INGEST_ORDERS } from './orders';
import { LEARNED, RESULT_OF_RUN, resultOfAttempt } from './outcome-columns';
import { boolean, integer, jsonb, type Statement, text } from '../kit/statement';
import { JUDGE_WORKERS, KEEP_USAGE } from './usage-and-judgements';

/**
 * A statement for each kind of write. $1 is the JSON array of the writes, each about another subject, and $2 the
 * architecture. Each statement returns, as `id`, the subjects of the writes whose fence held; the others are
 * unchanged.
 */
export const APPLY: Record<Write['kind'], Statement<{ id: number | string }>> = {
  'ingest-order': INGEST_ORDERS,

  grant: aboutRuns(`
    with ${CLOCK},
    ${fencedWrites<'grant'>(
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
    new_facts as (${recordFacts({
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
    ${fencedWrites<'start'>({ attempt: integer }, `r.attempt = w.attempt and r.state = 'leased'`)},
    changed as (
      update runs r set state = 'running', started_at = clock.now from expected e, clock where r.run_id = e.run_id
    ),
    started as (
      update attempts a set started_at = clock.now from expected e, clock
      where a.run_id = e.run_id and a.attempt = e.attempt
      returning a.run_id, e.arch, e.suite, a.attempt, a.worker
    ),
    new_facts as (${recordFacts({
      kind: 'started',
      state: 'running',
      attempt: 'f.attempt',
      actor: `'worker ' || f.worker`,
      from: 'started f, clock',
    })})
    select run_id as id from expected`),

  // The report of a failed attempt may arrive after the run was queued again for another reason. It counts once.
  requeue: aboutRuns(`
    with ${CLOCK},
    ${fencedWrites<'requeue'>(
      {
        attempt: integer,
        outcome: text.as<WriteOf<'requeue'>['outcome']>(),
        reason: text,
        result: jsonb.as<RunOutcome>().orNull,
        crash: text.orNull,
      },
      `r.attempt = w.attempt and (r.state in ('leased', 'running') or r.state = 'queued' and w.result is not null
        and exists (select from attempts a where a.run_id = r.run_id and a.attempt = r.attempt and a.outcome <> 'failed'))`,
    )},
    changed as (
      update runs r set state = 'queued', worker = null from expected e where r.run_id = e.run_id
    ),
    ended as (
      update attempts a set ended_at = coalesce(a.ended_at, clock.now), outcome = e.outcome, reason = e.reason, crash = e.crash,
        ${resultOfAttempt('e.result')}
      from expected e, clock where a.run_id = e.run_id and a.attempt = e.attempt
      returning a.run_id, e.arch, e.suite, a.attempt, a.outcome, a.reason, a.worker
    ),
    new_facts as (${recordFacts({
      kind: 'requeued',
      state: 'queued',
      attempt: 'f.attempt',
      reason: 'f.reason',
      actor: `case when f.outcome in ${EXPIRED_OR_LOST} then 'scheduler' else 'worker ' || f.worker end`,
      from: 'ended f, clock',
    })})
    select run_id as id from expected`),

  // The run may be queued again: a result of the latest attempt counts until another attempt is granted. With
  // `isStart` the write is also the start of the attempt, and has the fence of a start.
  finish: aboutRuns(`
    with ${CLOCK},
    ${fencedWrites<'finish', { isStart?: true }>(
      {
        attempt: integer,
        attemptOutcome: text.as<AttemptOutcome>(),
        outcome: jsonb.as<RunOutcome>(),
        worker: text.orNull,
        isStart: boolean.as<true>().orNull,
      },
      `r.attempt = w.attempt and case when w."isStart" then r.state = 'leased' else r.state <> 'finished' end`,
    )},
    timed as (
      select e.*, (e.outcome ->> 'durationSeconds')::integer as duration, clock.now, clock.updated,
        case when e."isStart" then clock.now
          else coalesce(e.started_at, clock.now - make_interval(secs => (e.outcome ->> 'durationSeconds')::integer)) end as start,
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
        ${resultOfAttempt(`(case when t.is_reported then t.outcome end)`)}
      from timed t where a.run_id = t.run_id and a.attempt = t.attempt
    ),
    ${LEARNED},
    happened as (
      select t.*, place, kind
      from timed t cross join (values (1, 'started'), (2, 'finished')) of_run (place, kind)
      where t."isStart" or kind = 'finished'
    ),
    new_facts as (${recordFacts({
      kind: { sql: 'f.kind' },
      state: { sql: `case f.kind when 'started' then 'running' else 'finished' end` },
      attempt: 'f.attempt',
      actor: `coalesce(case when f.is_reported then 'worker ' || f.worker end, 'scheduler')`,
      reason: `case f.kind when 'finished' then f.outcome ->> 'message' end`,
      verdict: `case f.kind when 'finished' then f.outcome ->> 'verdict' end`,
      from: 'happened f, clock',
      order: 'f.place',
    })})
    select run_id as id from expected`),

  correct: CORRECT,
  usage: KEEP_USAGE,
  'judge-worker': JUDGE_WORKERS,
};
