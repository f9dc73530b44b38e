import { EXCERPT_LINES_MAX, type RunState, type Verdict } from '@proctor/contracts';
import { seenBy, TRIGGER_WORDS } from '../runs/run-search';
import { isOfPackage } from '../statuses/status-statements';
import {
  bigint,
  integer,
  json,
  type RowOf,
  selectList,
  statement,
  text,
  texts,
  time,
} from '../kit/statement';

/** The trigger of reference runs, which show how packages behave without anything new. */
export const REFERENCE_TRIGGER = 'migration-reference/0';

/** The number of the newest runs that one part of the list of triggers reads. */
export const RUNS_LOOKED_AT_MAX = 10_000;

/**
 * The limits for one trigger: its length in bytes and the number of its first words that count. Thousands of long
 * words would take seconds.
 */
export const TRIGGER_BYTES_LOOKED_AT_MAX = 4_096;
export const TRIGGER_WORDS_LOOKED_AT_MAX = 100;

/** The values of an expression on `r`, for each row that meets a condition. */
const each = <Value>(value: string, condition = 'true') =>
  json.as<Value[]>().from(`coalesce(json_agg(${value}) filter (where ${condition}), '[]')`);

const milliseconds = (time: string): string => `(date_part('epoch', ${time}) * 1000)::bigint`;

/** The few runs with an error or a reference. */
const HAS_MORE = 'r.error_signature is not null or r.reference_id is not null';

const OF_TRIGGER_COLUMNS = {
  runId: each<number>('r.run_id'),
  package: each<string>('r.package'),
  suite: each<string>('r.suite'),
  arch: each<string>('r.arch'),
  /** The verdict of a finished run that was not cancelled. */
  end: each<Verdict | 'cancelled' | Exclude<RunState, 'finished'>>(
    `case when r.state <> 'finished' then r.state when r.cancelled then 'cancelled' else r.verdict end`,
  ),
  finishedAt: each<number | null>(milliseconds('r.finished_at')),
  privateRunId: each<number>('r.run_id', 'r.is_private'),
  failedRunId: each<number>('r.run_id', HAS_MORE),
  errorSignature: each<string | null>('r.error_signature', HAS_MORE),
  referenceRunId: each<number | null>('r.reference_id', HAS_MORE),
  referenceVerdict: each<Verdict>('r.reference_verdict', HAS_MORE),
  referenceVersion: each<string | null>('r.reference_version', HAS_MORE),
  referenceAt: each<number>(milliseconds('r.reference_at'), HAS_MORE),
};
export type RunArrays = RowOf<typeof OF_TRIGGER_COLUMNS>;

/** The condition in the form of the index `runs_triggers`. */
export const hasWord = (r: string, word: string): string =>
  `${r}.trigger is not null and ${TRIGGER_WORDS(r)} @> array[${word}]`;

/**
 * The newest finished public reference `b` of the package of `r` on the same place that is no tmpfail, in the form of the
 * index `runs_references`.
 * @param condition on `r`: other runs have no reference
 */
export const newestReference = (r: string, condition = 'true'): string => `
  select b.run_id, b.verdict, b.version, b.finished_at from runs b
  where ${condition} and b.package = ${r}.package and b.suite = ${r}.suite and b.arch = ${r}.arch
    and b.state = 'finished' and not b.is_private and not b.cancelled and b.verdict <> 'tmpfail' and ${isOfPackage('b')}
    and b.trigger = '${REFERENCE_TRIGGER}'
  order by b.finished_at desc, b.run_id desc limit 1`;

/**
 * The newest runs of the trigger $1, at most $2, that the reader in $3 and the next two parameters may see. All of them are
 * read first, by the index of words: a plan that walks through the newest runs of all triggers would take seconds.
 */
const newestOf = (columns: string): string => `
  select * from (select ${columns} from runs r where ${hasWord('r', '$1::text')} and ${seenBy(3)} offset 0) r
  order by r.run_id desc limit $2`;

/**
 * The newest runs of a trigger as one row with an array for each column: tens of thousands of rows would take many times as
 * long to send and to read. Only failed runs have a reference.
 */
export const OF_TRIGGER = statement(
  OF_TRIGGER_COLUMNS,
  `
  select ${selectList(OF_TRIGGER_COLUMNS, 'r')}
  from (
    select r.*, b.run_id as reference_id, b.verdict as reference_verdict, b.version as reference_version,
      b.finished_at as reference_at
    from (
      ${newestOf(
        `r.run_id, r.package, r.suite, r.arch, r.state, r.verdict, r.cancelled, r.is_private, r.error_signature, r.finished_at`,
      )}
    ) r
    left join lateral (${newestReference('r', `r.verdict = 'fail'`)}) b on true
    order by r.run_id desc
  ) r`,
);

/** A text that changes with each change of the runs of a trigger. */
export const VERSION = statement(
  { version: text },
  `
  select concat_ws(' ', count(*), max(r.updated_at), sum(r.attempt), count(*) filter (where r.state = 'running')) as version
  from (
    ${newestOf('r.run_id, r.updated_at, r.attempt, r.state')}
  ) r
  having count(*) > 0`,
);

/**
 * The words of a trigger that are considered, if the index has it. The expression of the index itself would take a
 * millisecond for each trigger with a long word.
 */
const WORDS_LOOKED_AT = `
  case when octet_length(r.trigger) <= ${TRIGGER_BYTES_LOOKED_AT_MAX}
    and not exists (select from unnest(string_to_array(r.trigger, ' ')) w where length(w) >= 255)
  then (string_to_array(r.trigger, ' '))[1:${TRIGGER_WORDS_LOOKED_AT_MAX}] end`;

/** The newest public runs before the run in the parameter `before`. */
const lookedAt = (before: string): string => `
  select r.run_id, ${WORDS_LOOKED_AT} as words from runs r where not r.is_private and (${before}::bigint is null or r.run_id < ${before})
  order by r.run_id desc limit ${RUNS_LOOKED_AT_MAX}`;

/** How the newest run at a place has ended, or how far it is, in the order of a bar. */
export const OUTCOMES = ['passed', 'failed', 'broken', 'untested', 'running', 'waiting'] as const;
export type Outcome = (typeof OUTCOMES)[number];
/** The number of tests with each outcome. */
export type Outcomes = Record<Outcome, number>;

const OUTCOME_COLUMNS = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, integer])) as Record<
  Outcome,
  typeof integer
>;

const TRIGGER_COLUMNS = {
  name: text,
  runId: bigint,
  runs: integer,
  unfinished: integer,
  failedRuns: integer,
  firstAt: time,
  lastAt: time,
  suites: texts,
  ...OUTCOME_COLUMNS,
};

/** The outcome of a run as its place in OUTCOMES; 0 for a cancelled run, which is no test. */
const OUTCOME_OF = (r: string): string => {
  const placeOf = (outcome: Outcome): number => OUTCOMES.indexOf(outcome) + 1;
  return `case when ${r}.state = 'queued' then ${placeOf('waiting')} when ${r}.state <> 'finished' then ${placeOf('running')}
    when ${r}.cancelled then 0 when ${r}.verdict in ('pass', 'neutral') then ${placeOf('passed')}
    when ${r}.verdict = 'fail' then ${placeOf('failed')} when ${r}.verdict = 'tmpfail' then ${placeOf('broken')}
    else ${placeOf('untested')} end`;
};

/** The outcome of the newest of the runs of a group. Without a sort: the runs of a trigger may be thousands. */
const NEWEST_OUTCOME = (r: string): string => `(max(array[${r}.run_id, ${OUTCOME_OF(r)}]))[2]`;

/** A column for each outcome with the number of rows that have it in their column `outcome`. */
const COUNTED_OUTCOMES = OUTCOMES.map(
  (outcome, place) => `(count(*) filter (where p.outcome = ${place + 1}))::integer as ${outcome}`,
).join(', ');

/** The counts of the public runs that have the word of a row `shown`, and of the tests that they are. */
const COUNTED = `
  select sum(p.runs)::integer as runs, sum(p.unfinished)::integer as unfinished, sum(p.failed)::integer as "failedRuns",
    min(p.first) as "firstAt", max(p.last) as "lastAt", array_agg(distinct p.suite) as suites, ${COUNTED_OUTCOMES}
  from (
    select c.suite, count(*) as runs, count(*) filter (where c.state <> 'finished') as unfinished,
      count(*) filter (where c.verdict = 'fail') as failed, min(c.created_at) as first, max(c.created_at) as last,
      ${NEWEST_OUTCOME('c')} as outcome
    from runs c where ${hasWord('c', 'shown.name')} and not c.is_private group by c.package, c.suite, c.arch
  ) p`;

/**
 * A part of the words of triggers. Words of an earlier part have a run that is not older than $2. All runs of a word
 * are counted to check that, so that the word finds them: to find only the first one, the planner would read through
 * the newest runs of all words.
 */
export const TRIGGERS = statement(
  TRIGGER_COLUMNS,
  `
  with looked_at as materialized (${lookedAt('$2')}),
  words as (
    select word as name, max(r.run_id) as newest
    from looked_at r cross join lateral unnest(r.words) as word
    where word like '%_/_%' and word <> '${REFERENCE_TRIGGER}' and position($3::text in word) > 0
    group by word
  ),
  shown as materialized (
    select w.name, w.newest from (select * from words order by newest desc, name offset 0) w
    where $2::bigint is null or (
      select count(*) filter (where n.run_id >= $2) from runs n where ${hasWord('n', 'w.name')} and not n.is_private) = 0
    limit $1
  )
  select shown.name, shown.newest as "runId", counted.*
  from shown cross join lateral (${COUNTED}) counted
  order by shown.newest desc, shown.name`,
);

/**
 * The first word of the trigger of public runs in the form of the index `runs_first_words`, cut where the index would
 * refuse it.
 */
const FIRST_WORD = (r: string): string => `left(split_part(${r}.trigger, ' ', 1), 255) collate "C"`;
const HAS_FIRST_WORD = (r: string): string => `${r}.trigger is not null and not ${r}.is_private`;

/** A run whose first word is at least $1 and below $2. */
export const IS_BEGUN = statement(
  { runId: bigint },
  `
  select r.run_id as "runId" from runs r
  where ${HAS_FIRST_WORD('r')} and ${FIRST_WORD('r')} >= $1 and ${FIRST_WORD('r')} < $2 limit 1`,
);

/** The number of versions of one package that are read. */
const WORDS_MAX = 5_000;

const NEXT_WORD = (condition: string): string => `
  select ${FIRST_WORD('r')} as word, r.run_id from runs r
  where ${HAS_FIRST_WORD('r')} and ${FIRST_WORD('r')} ${condition} and ${FIRST_WORD('r')} < $4
  order by ${FIRST_WORD('r')}, r.run_id desc limit 1`;

/**
 * Words from $3 on and below $4. Each is found by one search in the index that begins after the word before. Another
 * index, with the collation of the database, counts their runs.
 */
export const OF_PACKAGE = statement(
  TRIGGER_COLUMNS,
  `
  with recursive words as (
    (${NEXT_WORD('>= $3')})
    union all
    select next.* from words w cross join lateral (${NEXT_WORD('> w.word')}) next
  ),
  shown as materialized (
    select w.word collate "default" as name, w.run_id as newest from (select * from words limit ${WORDS_MAX}) w
    where length(w.word) < 255 and w.word like '%_/_%' and w.word <> '${REFERENCE_TRIGGER}'
      and ($2::bigint is null or w.run_id < $2)
    order by w.run_id desc limit $1
  )
  select shown.name, shown.newest as "runId", counted.*
  from shown cross join lateral (${COUNTED}) counted
  order by shown.newest desc`,
);

export const LOOKED_AT = statement(
  { runs: integer, oldest: bigint.orNull },
  `select count(*)::integer as runs, min(run_id) as oldest from (${lookedAt('$1')}) looked_at`,
);

export const IS_KNOWN = statement(
  { runId: bigint },
  `select r.run_id as "runId" from runs r where ${hasWord('r', '$1::text')} and not r.is_private limit 1`,
);

/** The index of the error line in the excerpt, from zero. A report may name a line outside of the excerpt. */
const PLACE_OF_ERROR = `(r.error_excerpt ->> 'errorLine')::bigint - (r.error_excerpt ->> 'firstLine')::bigint`;

export const ERROR_LINES = statement(
  { runId: bigint, line: text },
  `
  select * from (
    select r.run_id as "runId", r.error_excerpt -> 'lines' ->>
      least(greatest(${PLACE_OF_ERROR}, -${EXCERPT_LINES_MAX + 1}), ${EXCERPT_LINES_MAX})::integer as line
    from runs r where r.run_id = any($1::bigint[])
  ) as parts where line is not null`,
);

const PLACES = `unnest($1::text[], $2::text[], $3::text[]) with ordinality as asked(package, suite, arch, place)`;

export const MEDIANS = statement(
  { place: bigint, seconds: integer.orNull },
  `
  select asked.place, s.median_seconds as seconds from ${PLACES}
  join package_statuses s using (package, suite, arch)`,
);

export const UNFINISHED_REFERENCES = statement(
  { place: bigint, runId: bigint },
  `
  select asked.place, r.run_id as "runId" from ${PLACES} cross join lateral (
    select r.run_id from runs r
    where r.package = asked.package and r.suite = asked.suite and r.arch = asked.arch and r.state <> 'finished'
      and not r.is_private and r.trigger = '${REFERENCE_TRIGGER}'
    order by r.run_id limit 1
  ) r`,
);
