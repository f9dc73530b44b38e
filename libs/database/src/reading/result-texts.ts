import { UNTESTED, UNTESTED_VERDICTS } from '@proctor/contracts';
import { FIELDS } from '@proctor/request-fields';
import { NAMED_PREFIX } from './public-statements';
import { bigint, integer, snakeCase, statement, text, time } from '../kit/statement';

/** Rows that are in memory at a time. */
export const PAGE_LENGTH = 500;
/** Rows of the first page, which is short, since the reader waits for its first byte. */
export const FIRST_PAGE_LENGTH = 100;
/**
 * Results that are one row of an answer. pg puts a row that is longer than what one read of a socket brings, 64 KiB, together
 * in buffers that double.
 */
const ROW_LENGTH = 60;

/** A column of `jsonb` without the white space that PostgreSQL writes into it. */
const compact = (column: string, elements: string): string =>
  `case when ${column} = '[]' then '[]'::json else array_to_json(array(${elements})) end`;

const ELEMENTS = {
  pins: (column: string): string =>
    `select array_to_json(array(select part from jsonb_array_elements_text(pin) with ordinality as p(part, n) order by n))
     from jsonb_array_elements(${column}) with ordinality as pins(pin, place) order by place`,
  names: (column: string): string =>
    `select name from jsonb_array_elements_text(${column}) with ordinality as names(name, place) order by place`,
};

/** What the request said. */
const OPTIONS = FIELDS.map(({ name, kind, result }) => {
  const column = `r.${snakeCase(name)}`;
  const isList = kind === 'pins' || kind === 'names';
  return `${isList ? compact(column, ELEMENTS[kind](column)) : column} as ${result}`;
}).join(', ');

/**
 * Three digits of a second, as `Date.toISOString` has them, in two thirds of the time of `to_char`. PostgreSQL leaves out zeros at the end
 * of a time: the microsecond keeps them.
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

/** What `resultObject` of the api makes of a row `r`, byte for byte; $2 is the word for neutral runs. */
const RESULT = `
  ${OPTIONS}, r.package, r.arch, r.suite,
  case when r.state = 'finished' then coalesce(r.version, 'n/a') end as version,
  case when r.state = 'finished' then case r.verdict when 'neutral' then $2::text ${UNTESTED_STATUSES} else r.verdict end end as status,
  r.run_id, ${timestamp('r.updated_at')} as updated_at,
  ${timestamp('r.finished_at')} as date, r.duration_seconds, ${timestamp('r.created_at')} as created_at,
  r.message, r.exit_code, r.worker, r.attempt, r.state,
  r.verdict, r.trouble,
  ${fileUrl('r.log_size', 'log.gz')} as log_url, ${fileUrl('r.artifacts_size', 'artifacts.tar.gz')} as artifacts_url,
  '/runs/' || r.run_id as page_url`;

/**
 * A page of results, as texts of lists without their brackets, and where the next one begins after each. A parameter in a `select` of its own is
 * unknown to the planner in any plan: so it takes no plan for those of one page to be better, and plans no page again.
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

/** From a time on, which $4 is in seconds. */
export const FIRST_PAGE = page('r.updated_at >= (select to_timestamp($4))', FIRST_PAGE_LENGTH);

/** After the run $5, which was updated at $4. */
export const NEXT_PAGE = page(
  '(r.updated_at, r.run_id) > ((select $4::timestamptz), (select $5::bigint))',
  PAGE_LENGTH,
);
