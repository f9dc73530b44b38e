import { SCOPE_FIELDS, type WorkerStanding } from '@proctor/contracts';
import { recordFacts, userActor } from '../runs/facts';
import { CLOCK } from '../kit/horizon';
import { PAUSES_KEY } from '../rows/order';
import { countRuns, lockRuns, selectRuns } from '../runs/run-selection';
import { boolean, command, integer, nothing, statement, text, texts } from '../kit/statement';

/**
 * Key of an advisory lock. A decision about all architectures holds it exclusively; a scheduler that begins to own an
 * architecture holds it shared. Renewing an ownership does not use it.
 */
export const DECISIONS_LOCK = 5_787_301_932_447_859;

export const LOCK_OWNERS = statement(
  { locked: nothing },
  `select pg_advisory_xact_lock(${DECISIONS_LOCK}) as locked`,
);

/** The architectures that have, or had, a dispatcher. */
export const OWNED_ARCHITECTURES = statement({ arch: text }, 'select arch from dispatchers order by arch');

/** Pauses a scope for the user $1 with the reason $2; the fields of the scope follow in order. */
export const PAUSE = command(`
  insert into pauses (actor_id, reason, since, ${SCOPE_FIELDS.join(', ')})
  values ($1, $2, clock_timestamp(), ${SCOPE_FIELDS.map((_, place) => `$${place + 3}`).join(', ')})
  on conflict ${PAUSES_KEY} do update
    set actor_id = excluded.actor_id, reason = excluded.reason, since = excluded.since`);

/** The conditions for the scope whose fields are $1 and so on; each may be null. */
const SCOPE = SCOPE_FIELDS.map((field, place) => `coalesce(${field}, '') = coalesce($${place + 1}, '')`);

export const RESUME = statement(
  { pauseId: integer },
  `delete from pauses where ${SCOPE.join(' and ')} returning pause_id as "pauseId"`,
);

/**
 * The standing of the worker $1 on each architecture where a dispatcher has judged it, or has the order to quarantine
 * it.
 */
export const STANDINGS = statement(
  { arch: text, standing: text.as<WorkerStanding>() },
  `
  with ordered as (
    select distinct arch from orders where not taken_in and kind = 'quarantine' and worker = $1
  )
  select arch, 'quarantined' as standing from ordered
  union all
  select d.arch, j.standing from dispatchers d cross join lateral (
    select standing from worker_judgements where arch = d.arch and worker = $1
    order by judgement_id desc limit 1
  ) j where d.arch not in (select arch from ordered)
  order by arch`,
);

export const ARCHITECTURES_OF_WORKER = statement(
  { architectures: texts },
  'select architectures from workers where name = $1 and revoked_at is null',
);

/** Workers are listed from this many attempts, those of the newest runs. */
const ATTEMPTS_LOOKED_AT = 10_000;

/** Whether the worker $1 is known: it is drained, executes something or has recently executed something. */
export const KNOWN_WORKER = statement(
  { isKnown: boolean },
  `
  select exists (select from drains where worker = $1)
    or exists (select from runs where state in ('leased', 'running') and worker = $1)
    or exists (
      select from (
        select worker from attempts order by run_id desc, attempt desc limit ${ATTEMPTS_LOOKED_AT}
      ) newest where worker = $1
    ) as "isKnown"`,
);

/** Adds an order of the kind $2 for each architecture of $1. */
export const STAND = command(`
  insert into orders (arch, kind, suite, worker, actor_id, reason, created_at)
  select arch, $2, $3, $4, $5, $6, clock_timestamp() from unnest($1::text[]) as concerned(arch)`);

/** The waiting runs whose priority differs from $7. */
export const SELECT_WAITING = selectRuns(waiting('$7'));

export const COUNT_WAITING = countRuns(waiting('$7'));

/** Locks the runs among $1 that wait and whose priority differs from $2. */
export const LOCK_WAITING = lockRuns(waiting('$2'));

function waiting(priority: string): string {
  return `r.state = 'queued' and r.priority <> ${priority}`;
}

export const REPRIORITISE = command(`
  with ${CLOCK},
  before as materialized (select run_id, priority from runs where run_id = any($1::bigint[])),
  changed as (
    update runs r set priority = $2 from before where r.run_id = before.run_id
    returning r.run_id, r.arch, r.suite, r.state, r.attempt, before.priority as old_priority
  ),
  new_facts as (${recordFacts({
    kind: 'reprioritised',
    state: { sql: 'f.state' },
    attempt: 'f.attempt',
    actor: userActor('$3'),
    reason: `'from ' || f.old_priority || ' to ' || $2::smallint || coalesce(': ' || $4::text, '')`,
    from: 'changed f, clock',
  })})
  insert into orders (arch, kind, run_id, priority, actor_id, reason, created_at)
  select arch, 'reprioritise', run_id, $2, $3, $4::text, clock.now from changed, clock order by run_id`);
