import { NAMED_PREFIX } from './public-statements';
import { bigint, integer, statement, text, time } from './statement';

/** Rows that are in memory at a time. */
export const PAGE_LENGTH = 1_000;
/** Of the first, whose first byte somebody waits for. */
export const FIRST_PAGE_LENGTH = 100;

/** A column of `jsonb` without the white space that PostgreSQL writes into it. */
const compact = (column: string, elements: string): string =>
  `case when ${column} = '[]' then '[]'::json else array_to_json(array(${elements})) end`;

const PINS = compact(
  'r.pin_packages',
  `select array_to_json(array(select part from jsonb_array_elements_text(pin) with ordinality as p(part, n) order by n))
   from jsonb_array_elements(r.pin_packages) with ordinality as pins(pin, place) order by place`,
);

const SOURCES = compact(
  'r.extra_apt_sources',
  `select source from jsonb_array_elements_text(r.extra_apt_sources) with ordinality as s(source, place) order by place`,
);

const timestamp = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const fileUrl = (size: string, name: string): string => `
  case when r.state = 'finished' and ${size} is not null
    then '/data/autopkgtest/' || r.suite || '/' || r.arch || '/' || (${NAMED_PREFIX('r.package')}) || '/' || r.package
      || '/' || r.run_id || '/${name}' end`;

/** What `resultObject` of the api makes of a row `r`, byte for byte; $2 is the word for neutral runs. */
const RESULT = `
  r.trigger, r.package, r.arch, r.suite,
  case when r.state = 'finished' then coalesce(r.version, 'n/a') end as version,
  case when r.state = 'finished' then case when r.verdict = 'neutral' then $2::text else r.verdict end end as status,
  r.run_id, r.is_private, ${SOURCES} as extra_apt_sources, ${timestamp('r.updated_at')} as updated_at,
  ${timestamp('r.finished_at')} as date, r.duration_seconds, ${timestamp('r.created_at')} as created_at, r.backend,
  r.variant as autopkgtest, ${PINS} as pin_packages, r.priority, r.message, r.exit_code, r.worker, r.attempt, r.state,
  ${fileUrl('r.log_size', 'log.gz')} as log_url, ${fileUrl('r.artifacts_size', 'artifacts.tar.gz')} as artifacts_url`;

/** A page of results, as the text of a list without its brackets, and where the next one begins. */
const page = (condition: string, length: number) =>
  statement(
    { results: text.orNull, length: integer, updatedAt: time.orNull, runId: bigint.orNull },
    `
    select string_agg(page.result, ',' order by page.updated_at, page.run_id) as results, count(*)::integer as length,
      max(page.updated_at) as "updatedAt",
      (array_agg(page.run_id order by page.updated_at desc, page.run_id desc))[1] as "runId"
    from (
      select r.updated_at, r.run_id, (select row_to_json(o)::text from (select ${RESULT}) o) as result
      from runs r
      where r.api_key_id = $1 and r.updated_at <= $3 and ${condition}
      order by r.updated_at, r.run_id
      limit ${length}
    ) page`,
  ).prepared;

/** From a time on, which $4 is in seconds. */
export const FIRST_PAGE = page('r.updated_at >= to_timestamp($4)', FIRST_PAGE_LENGTH);

/** After the run $5, which was updated at $4. */
export const NEXT_PAGE = page('(r.updated_at, r.run_id) > ($4, $5)', PAGE_LENGTH);
