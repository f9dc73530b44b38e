import { LOADED_COLUMNS, loadedRuns, loadedSql } from './loading-statements';
import { bigint, boolean, double, integer, propertiesOf, smallint, statement, text } from '../kit/statement';
import { firstInOrder } from '../runs/waiting-rows';

/** The id of the user whose slot time the run uses. */
const OWNER = 'coalesce(r.retried_by, r.requestor_id)';

/** The key of a line and the order in it: the columns of the index runs_lines. */
const LINE = `r.arch, r.suite, r.backend, r.variant, r.is_private, r.priority, ${OWNER}`;
const IN_ORDER = `${LINE}, r.created_at, r.run_id`;
const BACKWARDS = IN_ORDER.split(/, (?!r\.requestor)/)
  .map((column) => `${column} desc`)
  .join(', ');

/** The condition of the index runs_lines. */
const IS_NEW = `r.state = 'queued' and r.attempt = 0`;

/** The SQL of the time that is `ms` milliseconds after the epoch. */
const timeOf = (ms: string): string => `(timestamptz 'epoch' + ${ms}::float8 * interval '1 millisecond')`;

/** The unfinished runs of the architecture $1 that were granted, at most $2. */
export const GRANTED = loadedRuns(
  firstInOrder(
    `runs r where r.arch between $1 and $1 and r.attempt > 0 and r.state <> 'finished'`,
    'r.arch, r.run_id',
  ),
).asPrepared;

const KEY_OF_LINE = 'l.arch, l.suite, l.backend, l.variant, l.is_private, l.priority, l.owner';
const FIRST_OF_LINE = `select ${LINE} as owner`;

/** Makes PostgreSQL read rows in the order of an index, wherever there is one, until the end of this transaction. */
export const AVOID_SORTING = statement(
  { all: text, some: text },
  `select set_config('enable_sort', 'off', true) as "all", set_config('enable_incremental_sort', 'off', true) as "some"`,
);

const LINES_COLUMNS = {
  ...LOADED_COLUMNS,
  /** The number of the line among the lines that are read. */
  number: integer.from('r.number'),
  owner: integer.from(OWNER),
};

/**
 * The first $2 runs of each line of the architecture $1, for the first $3 lines after the line whose key is $4 to $9.
 * The index is entered once for each line, however long the lines are. Send AVOID_SORTING first: with statistics from
 * a time when few runs waited, the planner would sort all waiting runs again for each line.
 */
export const LINES = statement(
  LINES_COLUMNS,
  loadedSql(
    LINES_COLUMNS,
    `
    with recursive line as (
      (
        ${FIRST_OF_LINE}, 1 as number from runs r
        where (${LINE}) > ($1, $4::text, $5::text, $6::text, $7::boolean, $8::smallint, $9::integer)
          and r.arch <= $1 and ${IS_NEW}
        order by ${IN_ORDER} limit 1
      )
      union all
      select next.* from line l cross join lateral (
        ${FIRST_OF_LINE}, l.number + 1 as number from runs r
        where (${LINE}) > (${KEY_OF_LINE}) and r.arch <= $1 and ${IS_NEW}
        order by ${IN_ORDER} limit 1
      ) next
      where l.number < $3::integer
    )
    select first.*, l.number from line l cross join lateral (
      select * from runs r where (${LINE}) >= (${KEY_OF_LINE}) and (${LINE}) <= (${KEY_OF_LINE}) and ${IS_NEW}
      order by ${IN_ORDER} limit $2
    ) first`,
  ),
);

const GIVEN_LINE = `$1::text, $3::text, $4::text, $5::text, $6::boolean, $7::smallint,
      (select user_id from users where name = $8)`;

/**
 * The next $2 runs of a line of the architecture $1 after a place in it; `nextOfLine` has the order of the parameters
 * $3 to $10.
 */
export const NEXT_OF_LINE = loadedRuns(
  firstInOrder(
    `runs r where (${IN_ORDER}) > (${GIVEN_LINE}, ${timeOf('$9')}, $10::bigint) and (${LINE}) <= (${GIVEN_LINE})
      and ${IS_NEW}`,
    IN_ORDER,
  ),
).asPrepared;

/**
 * A stretch of the line of the run `place`; `upToAt` and `upToRunId` are null if the stretch goes to the end of the
 * line.
 */
const STRETCH = {
  stretch: integer,
  suite: text,
  backend: text,
  variant: text,
  isPrivate: boolean,
  priority: smallint,
  requestor: text,
  afterAt: double,
  afterRunId: bigint,
  upToAt: double,
  upToRunId: bigint,
};

/** The largest bigint of PostgreSQL. */
const RUN_ID_MAX = '9223372036854775807';

const KEY_OF_STRETCH = `$1::text, s.suite, s.backend, s.variant, s."isPrivate", s.priority, o.user_id`;

/** The runs of the stretches `s` in $2, a JSON array, of the architecture $1. @param end the SQL after the condition */
const ofStretches = (columns: string, end: string): string => `
    select ${columns} from runs r
    where (${IN_ORDER}) > (${KEY_OF_STRETCH}, ${timeOf('s."afterAt"')}, s."afterRunId")
      and (${IN_ORDER}) <= (
        ${KEY_OF_STRETCH}, coalesce(${timeOf('s."upToAt"')}, 'infinity'), coalesce(s."upToRunId", ${RUN_ID_MAX})
      )
      and ${IS_NEW} ${end}`;

const STRETCHES = `jsonb_to_recordset($2::jsonb) as s(${propertiesOf(STRETCH)}) join users o on o.name = s.requestor`;

/**
 * The last run of every $3 runs of a stretch, and the last run of all that are counted: the first $4 of each stretch.
 * Runs are numbered in the order of the index; no other data is read.
 */
export const COUNT_BEYOND = statement(
  { stretch: integer.from('s.stretch'), arrivedAt: double, runId: bigint, number: bigint },
  `
    select s.stretch, (extract(epoch from r.created_at) * 1000)::float8 as "arrivedAt", r.run_id as "runId", r.number
    from ${STRETCHES} cross join lateral (
      select created_at, run_id, row_number() over () as number, lead(run_id) over () is null as "isLast"
      from (${ofStretches('r.created_at, r.run_id', `order by ${IN_ORDER} limit $4::integer`)}) first
    ) r
    where r.number % $3::integer = 0 or r."isLast"
    order by s.stretch, r.number`,
).asPrepared;

/** The last run of each stretch. */
export const LAST_BEYOND = loadedRuns(`
    select r.* from ${STRETCHES} cross join lateral (${ofStretches('*', `order by ${BACKWARDS} limit 1`)} offset 0) r`).asPrepared;
