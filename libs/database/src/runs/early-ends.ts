import type { FactKind } from '@proctor/contracts';
import { recordFacts, userActor } from './facts';
import { CLOCK } from '../kit/horizon';
import { command, type Statement } from '../kit/statement';

/**
 * A statement that ends locked, unfinished runs before they end by themselves: their attempts end, and the dispatcher gets an
 * order for each. It follows `recordUpdateTime`.
 * @param kind of the fact
 * @param selected the SQL of rows with run_id, message, actor_id (a user), reason and superseded_by
 */
export function endRuns(kind: FactKind, selected: string): Statement<object> {
  return command(`
  with ${CLOCK},
  selected as (${selected}),
  ended as (
    update runs r set state = 'finished', verdict = 'tmpfail', cancelled = true, message = selected.message, version = 'n/a',
      superseded_by = selected.superseded_by,
      duration_seconds = case when r.state = 'running'
        then greatest(0, floor(extract(epoch from clock.now - r.started_at)))::integer end,
      finished_at = clock.now, updated_at = clock.updated
    from selected, clock where r.run_id = selected.run_id
    returning r.run_id, r.arch, r.suite, r.attempt, selected.message, selected.actor_id, selected.reason
  ),
  attempt as (
    update attempts a set ended_at = clock.now, outcome = 'cancelled', reason = ended.message
    from ended, clock where a.run_id = ended.run_id and a.attempt = ended.attempt and a.ended_at is null
  ),
  new_facts as (${recordFacts({
    kind,
    state: 'finished',
    attempt: 'f.attempt',
    actor: userActor('f.actor_id'),
    reason: 'f.reason',
    verdict: `'tmpfail'`,
    from: 'ended f, clock',
  })})
  insert into orders (arch, kind, run_id, actor_id, reason, created_at)
  select arch, 'cancel', run_id, actor_id, reason, clock.now from ended, clock order by run_id`);
}
