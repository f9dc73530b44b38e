import type { RunOutcome } from '@proctor/dispatch';
import { recordFacts } from './fact-statements';
import { aboutRuns, expected, EXPIRED_OR_LOST } from './fenced-runs';
import { CLOCK } from './horizon';
import { LEARNED, RESULT_OF_RUN, resultOfAttempt } from './outcome-columns';
import { bigint, integer, jsonb, text } from './statement';

/**
 * As APPLY has it, of runs that were ended for lack of the result that has come. The run stays finished, since when it was;
 * those who ask what is new are told of it again.
 */
export const CORRECT = aboutRuns(`
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
      update attempts a set outcome = 'finished', started_at = t.start, reason = null, ${resultOfAttempt('t.outcome')}
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
    select run_id as id from expected`);
