import type { ResultFileName } from '@proctor/contracts';

/** The weight of each new value in a moving average. */
const NEWEST_WEIGHT = 0.3;

/** The share of the old average that remains after `excluded.runs` new values. */
const OLD_SHARE = `power(${1 - NEWEST_WEIGHT}, excluded.runs)`;

/** Sets the columns of a run's outcome, from rows `t` with `outcome`, `duration`, `start` and `updated`. */
export const RESULT_OF_RUN = `
        verdict = t.outcome ->> 'verdict',
        message = t.outcome ->> 'message',
        trouble = t.outcome ->> 'trouble',
        exit_code = (t.outcome ->> 'exitCode')::smallint,
        version = coalesce(t.outcome ->> 'version', 'n/a'),
        duration_seconds = t.duration,
        log_size = ${sizeOf('log.gz', 't.outcome')},
        artifacts_size = ${sizeOf('artifacts.tar.gz', 't.outcome')},
        tests = t.outcome -> 'tests',
        error_signature = t.outcome -> 'error' ->> 'signature',
        error_excerpt = t.outcome #> '{error,excerpt}',
        image = t.outcome -> 'image',
        started_at = t.start,
        updated_at = t.updated`;

/** Sets the columns of an attempt's result. @param outcome SQL of a RunOutcome or null */
export function resultOfAttempt(outcome: string): string {
  return `verdict = ${outcome} ->> 'verdict', exit_code = (${outcome} ->> 'exitCode')::smallint,
        log_size = ${sizeOf('log.gz', outcome)}, artifacts_size = ${sizeOf('artifacts.tar.gz', outcome)}`;
}

/** Learns the durations of packages from the results of public runs among the rows of `timed`. */
export const LEARNED = `
    learned as (
      insert into package_durations as known (arch, package, seconds, runs, learned_at)
      select arch, package, avg(duration), count(*), max(now) from timed
      where is_reported and not is_private and duration is not null group by arch, package order by arch, package
      on conflict (arch, package) do update set runs = known.runs + excluded.runs, learned_at = excluded.learned_at,
        seconds = known.seconds * ${OLD_SHARE} + excluded.seconds * (1 - ${OLD_SHARE})
    )`;

function sizeOf(file: ResultFileName, outcome: string): string {
  return `(select (f ->> 'size')::bigint from jsonb_array_elements(${outcome} -> 'files') f
          where f ->> 'name' = '${file}')`;
}
