import { Injectable } from '@nestjs/common';
import type { RunState, Verdict } from '@proctor/contracts';
import { Database } from '../kit/database';
import { likeOf } from '../kit/list-filter';
import { RECORD_COLUMNS, type RunRecord } from './run-columns';
import { bigint, integer, selectList, statement } from '../kit/statement';

/** A filter of runs; an absent field accepts any value. */
export interface RunFilter {
  /** The name of a package; in `RunSearch.findAmong`, with `*` for any characters. */
  package?: string | undefined;
  suite?: string | undefined;
  arch?: string | undefined;
  /** Finished with one of these verdicts. */
  verdicts?: Verdict[] | undefined;
  states?: RunState[] | undefined;
  /** Words in its trigger, separated by spaces; the page of a trigger has one word. */
  trigger?: string | undefined;
  /** The name of a user. */
  requestor?: string | undefined;
  /** Only runs that were created, finished or published then or later. */
  since?: Date | undefined;
}

/** The reader: see `RunSearch.find`. */
export interface RunReader {
  /** True for administrators, who see all runs. */
  everything?: boolean;
  /** The owner of visible private runs: this key, or, in a web session, this user. */
  keyId?: number;
  userName?: string;
}

/** A part of a list that was searched among a bounded number of runs. */
export interface RunsAmong {
  runs: RunRecord[];
  /** The id before which the next page begins; null at the end. A page may be short, or empty, before the end. */
  next: number | null;
}

/** One part of a list is searched among this many runs, so that the time does not grow with millions of them. */
const LOOKED_AT_MAX = 50_000;

/** Finds runs among all, for lists. */
@Injectable()
export class RunSearch {
  constructor(private readonly database: Database) {}

  /**
   * Runs that match, newest requests first: public runs, and private ones that the reader may see.
   * @param before only runs with lower ids
   * @throws DatabaseUnavailable also if matching runs are too rare to be found in time
   */
  find(filter: RunFilter, reader: RunReader, limit: number, before?: number): Promise<RunRecord[]> {
    return this.database.query(FOUND, [...parametersOf(filter, reader), limit, before ?? null]);
  }

  /**
   * `find` by a pattern of package names, for which there is no index.
   * @param lookedAtMax how many of the newest runs that the reader may see are compared with the pattern
   */
  async findAmong(
    { package: pattern = '*', ...filter }: RunFilter,
    reader: RunReader,
    limit: number,
    before?: number,
    lookedAtMax = LOOKED_AT_MAX,
  ): Promise<RunsAmong> {
    const conditions = parametersOf(filter, reader);
    const runs = await this.database.query(FOUND_AMONG, [
      ...conditions,
      limit + 1,
      before ?? null,
      likeOf(pattern),
      lookedAtMax,
    ]);
    if (runs.length > limit) return { runs: runs.slice(0, limit), next: runs[limit - 1]!.runId };
    const [edge] = await this.database.query(EDGE, [
      ...readerParameters(reader),
      before ?? null,
      lookedAtMax,
    ]);
    return { runs, next: edge!.count < lookedAtMax ? null : edge!.last };
  }
}

function parametersOf(filter: RunFilter, reader: RunReader): unknown[] {
  const { suite, arch, verdicts, states, trigger, requestor, since } = filter;
  const conditions = [filter.package, suite, arch, verdicts, states, trigger, requestor, since];
  return [...conditions.map((value) => value ?? null), ...readerParameters(reader)];
}

/** The parameters of `seenBy`. */
function readerParameters({ everything = false, keyId, userName }: RunReader): unknown[] {
  return [everything, keyId ?? null, userName ?? null];
}

/**
 * The words of a trigger in the form of the index `runs_triggers`. A word that is too long for the index is never
 * found.
 */
export const TRIGGER_WORDS = (r: string): string =>
  `case when ${r}.trigger !~ '[^ ]{255}' then string_to_array(${r}.trigger, ' ') end`;

/** Parameters are known when the statement is planned, so that those that are null cost nothing. */
const MATCHES = `
  ($1::text is null or r.package = $1) and ($2::text is null or r.suite = $2) and ($3::text is null or r.arch = $3)
  and ($4::text[] is null or r.verdict = any($4)) and ($5::text[] is null or r.state = any($5))
  and ($6::text is null or ${TRIGGER_WORDS('r')} @> string_to_array($6, ' '))
  and ($7::text is null or r.requestor_id = (select user_id from users where name = $7))
  and ($8::timestamptz is null or r.updated_at >= $8)
  and ($13::bigint is null or r.run_id < $13)`;

/** The SQL condition that the reader in $n and the next two parameters may see the run `r`. */
export const seenBy = (first: number, r = 'r'): string => `(not ${r}.is_private or $${first}::boolean
  or ${r}.api_key_id = $${first + 1}::integer
  or ${r}.requestor_id = (select user_id from users where name = $${first + 2}::text))`;

/** Each part has its own index by package. */
const PARTS = [
  `r.state = 'finished' and not r.is_private`,
  `r.state = 'finished' and r.is_private`,
  `r.state <> 'finished'`,
].map(
  (part) => `
  (select r.run_id from runs r where ${part} and ${seenBy(9)} and ${MATCHES} order by r.run_id desc limit $12)`,
);

const FOUND = statement(
  RECORD_COLUMNS,
  `
  select ${selectList(RECORD_COLUMNS, 'r')}
  from (select run_id from (${PARTS.join(' union all ')}) part order by run_id desc limit $12) found
  join runs r using (run_id) join users u on u.user_id = r.requestor_id
  order by r.run_id desc`,
);

/** Only runs that the reader may see are counted: otherwise the end of a page would reveal the others. */
const AMONG = (columns: string, condition: string, before: string, limit: string): string => `
  select ${columns} from runs r where ${condition} and (${before}::bigint is null or r.run_id < ${before})
  order by r.run_id desc limit ${limit}`;

const FOUND_AMONG = statement(
  RECORD_COLUMNS,
  `
  select ${selectList(RECORD_COLUMNS, 'r')}
  from (${AMONG('r.*', seenBy(9), '$13', '$15')}) r join users u on u.user_id = r.requestor_id
  where r.package like $14 and ${MATCHES}
  order by r.run_id desc limit $12`,
);

const EDGE = statement(
  { last: bigint.orNull, count: integer },
  `
  select min(run_id) as last, count(*)::integer as count
  from (${AMONG('r.run_id', seenBy(1), '$4', '$5')}) looked`,
);
