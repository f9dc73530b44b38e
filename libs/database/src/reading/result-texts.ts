import { ANSWER_FIELDS, type ComputedFields, UNTESTED, UNTESTED_VERDICTS } from '@proctor/contracts';
import { NAMED_PREFIX } from './public-statements';
import { bigint, integer, snakeCase, statement, text, time } from '../kit/statement';

/** The number of rows in memory at a time. */
export const PAGE_LENGTH = 500;
/** The number of rows of the first page. It is short because the reader waits for the first byte. */
export const FIRST_PAGE_LENGTH = 100;
/**
 * The number of results in one row of an answer. pg assembles a row that is longer than one read of the socket, 64
 * KiB, in buffers that it doubles.
 */
const ROW_LENGTH = 60;

/** A `jsonb` column without the white space that PostgreSQL writes into it. */
const compact = (column: string, elements: string): string =>
  `case when ${column} = '[]' then '[]'::json else array_to_json(array(${elements})) end`;

const ELEMENTS = {
  pins: (column: string): string =>
    `select array_to_json(array(select part from jsonb_array_elements_text(pin) with ordinality as p(part, n) order by n))
     from jsonb_array_elements(${column}) with ordinality as pins(pin, place) order by place`,
  names: (column: string): string =>
    `select name from jsonb_array_elements_text(${column}) with ordinality as names(name, place) order by place`,
};

/**
 * A time with three digits of a second, as `Date.toISOString` writes it, in two thirds of the time of `to_char`.
 * PostgreSQL omits zeros at the end of a time: the added microsecond keeps them.
 */
const timestamp = (column: string): string =>
  `substr(to_json(${column} at time zone 'UTC' + interval '1 microsecond')::text, 2, 23) || 'Z'`;

const fileUrl = (size: string, name: string): string => `
  case when r.state = 'finished' and ${size} is not null
    then '/data/autopkgtest/' || r.suite || '/' || r.arch || '/' || (${NAMED_PREFIX('r.package')}) || '/' || r.package
      || '/' || r.run_id || '/${name}' end`;

const UNTESTED_STATUSES = UNTESTED_VERDICTS.map(
  (verdict) => `when '${verdict}' then '${UNTESTED[verdict].status}'`,
).join(' ');

/** $2 is the word for neutral runs. */
const COMPUTED: Record<keyof ComputedFields, string> = {
  version: `case when r.state = 'finished' then coalesce(r.version, 'n/a') end`,
  status: `case when r.state = 'finished' then case r.verdict when 'neutral' then $2::text ${UNTESTED_STATUSES} else r.verdict end end`,
  logUrl: fileUrl('r.log_size', 'log.gz'),
  artifactsUrl: fileUrl('r.artifacts_size', 'artifacts.tar.gz'),
  pageUrl: `'/runs/' || r.run_id`,
};

function valueOf(field: (typeof ANSWER_FIELDS)[number]): string {
  if (field.isComputed) return COMPUTED[field.name];
  const { name, kind } = field;
  const column = `r.${snakeCase(name)}`;
  if (kind === 'time') return timestamp(column);
  return kind === 'pins' || kind === 'names' ? compact(column, ELEMENTS[kind](column)) : column;
}

/** A result as `resultObject` of the api builds it from a row `r`, byte for byte. */
const RESULT = ANSWER_FIELDS.map((field) => `${valueOf(field)} as ${field.result}`).join(', ');

/**
 * A page of results, as texts of JSON lists without brackets, each with the position where the next one begins. Each
 * parameter is in its own `select`, so that the planner never uses its value: then no plan for one page looks better,
 * and no page is planned again.
 */
const page = (condition: string, length: number) =>
  statement(
    { results: text, length: integer, updatedAt: time, runId: bigint },
    `
    select string_agg(page.result, ',' order by page.place) as results, count(*)::integer as length,
      max(page.updated_at) as "updatedAt", (array_agg(page.run_id order by page.place))[count(*)] as "runId"
    from (
      select r.updated_at, r.run_id, (select row_to_json(o)::text from (select ${RESULT}) o) as result,
        row_number() over (order by r.updated_at, r.run_id) as place
      from runs r
      where r.api_key_id = (select $1::integer) and r.updated_at <= (select $3::timestamptz) and ${condition}
      order by r.updated_at, r.run_id
      limit ${length}
    ) page
    group by (page.place - 1) / ${ROW_LENGTH}
    order by (page.place - 1) / ${ROW_LENGTH}`,
  ).asPrepared;

/** The results from the time $4 on, UNIX seconds. */
export const FIRST_PAGE = page('r.updated_at >= (select to_timestamp($4))', FIRST_PAGE_LENGTH);

/** The results after the run $5, which was updated at $4. */
export const NEXT_PAGE = page(
  '(r.updated_at, r.run_id) > ((select $4::timestamptz), (select $5::bigint))',
  PAGE_LENGTH,
);
