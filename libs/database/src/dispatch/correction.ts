import { DURATION_MARGIN_SECONDS, type RunOutcome } from '@proctor/dispatch';
import { recordFacts } from '../runs/facts';
import { aboutRuns, fencedWrites, EXPIRED_OR_LOST } from './fenced-runs';
import { CLOCK } from '../kit/horizon';
import { LEARNED, RESULT_OF_RUN, resultOfAttempt } from './outcome-columns';
import { bigint, integer, jsonb, text } from '../kit/statement';

/**
 * The SQL of the longest believable duration, as in `believedSeconds`: the grant is no longer in memory, so its age
 * is computed here.
 */
const DURATION_SEEN_MAX = `ceil(extract(epoch from greatest(clock.now - a.granted_at, interval '0')))::integer
          + ${DURATION_MARGIN_SECONDS}`;

/**
 * The statement for `correct` writes, in the form of `APPLY`: results that arrived after their runs were ended
 * without them. The run stays finished with the time of its end. Readers who follow changes get it again.
 */
export const CORRECT = aboutRuns(`
    with ${CLOCK},
    ${fencedWrites<'correct'>(
      { attempt: integer, grantEpoch: bigint.orNull, worker: text, outcome: jsonb.as<RunOutcome>() },
      `r.attempt = w.attempt and r.state = 'finished' and not r.cancelled
        and exists (select from attempts a where a.run_id = r.run_id and a.attempt = r.attempt
          and coalesce(a.epoch = w."grantEpoch", true) and a.worker = w.worker and a.outcome in ${EXPIRED_OR_LOST})`,
    )},
    believed as (
      select e.*, clock.now, clock.updated,
        least((e.outcome ->> 'durationSeconds')::integer, ${DURATION_SEEN_MAX}) as duration
      from expected e cross join clock join attempts a on a.run_id = e.run_id and a.attempt = e.attempt
    ),
    timed as (
      select b.*, true as is_reported,
        coalesce(b.started_at, b.finished_at - make_interval(secs => b.duration)) as start
      from believed b
    ),
    changed as (
      update runs r set worker = t.worker, ${RESULT_OF_RUN} from timed t where r.run_id = t.run_id
    ),
    ended as (
      update attempts a set outcome = 'finished', started_at = t.start, reason = null, ${resultOfAttempt('t.outcome')}
      from timed t where a.run_id = t.run_id and a.attempt = t.attempt
    ),
    ${LEARNED},
    new_facts as (${recordFacts({
      kind: 'corrected',
      state: 'finished',
      attempt: 'f.attempt',
      actor: `'worker ' || f.worker`,
      reason: `f.outcome ->> 'message'`,
      verdict: `f.outcome ->> 'verdict'`,
      from: 'timed f, clock',
    })})
    select run_id as id from expected`);
