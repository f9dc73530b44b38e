import { Injectable } from '@nestjs/common';
import { isRunId, type RunState, type Verdict } from '@proctor/contracts';
import { Database } from '../kit/database';
import { likeOf } from '../kit/list-filter';
import { RECORD_COLUMNS, type RunRecord, selectRecords } from './run-columns';
import { bigint, type ColumnsOf, integer, selectList, statement, text } from '../kit/statement';

/** A filter of a user's runs; an absent field accepts any value. */
export interface OwnRunFilter {
  /** The name of a package, with `*` for any characters. */
  package?: string | undefined;
  /** A part of the trigger, with `*` for any characters. */
  trigger?: string | undefined;
  suites?: string[] | null | undefined;
  architectures?: string[] | null | undefined;
  verdicts?: Verdict[] | undefined;
  states?: RunState[] | undefined;
  isPrivate?: boolean | undefined;
}

/** A run of a user's list. */
export interface OwnRun extends RunRecord {
  /** The name of the user who retried another run by this one; null if it is no retry. */
  retrier: string | null;
}

/** A page of a user's runs. */
export interface OwnRunPage {
  runs: OwnRun[];
  /** The id before which the next page begins; null at the end. A page may be short, or empty, before the end. */
  next: number | null;
}

/**
 * The number of a user's runs that one page is searched among, so that users with millions of runs do not wait
 * longer.
 */
const LOOKED_AT_MAX = 50_000;

/** Runs that a version depends on. */
const FOLLOWED_MAX = 1_000;

/**
 * The runs that one user requested, with any key, and public ones by which the user retried runs of others: an administrator who
 * retried a private run may be none later.
 */
@Injectable()
export class OwnRuns {
  constructor(private readonly database: Database) {}

  /**
   * Runs of a user that match, newest requests first, the user's private ones included.
   * @param before only runs with lower ids
   * @param lookedAtMax how many of the user's newest runs are searched
   */
  async find(
    userId: number,
    { package: name, trigger, suites, architectures, verdicts, states, isPrivate }: OwnRunFilter,
    limit: number,
    before: number | null,
    lookedAtMax = LOOKED_AT_MAX,
  ): Promise<OwnRunPage> {
    const patterns = [
      name === undefined ? null : likeOf(name),
      trigger === undefined ? null : likeOf(`*${trigger}*`),
    ];
    const outcome = [verdicts ?? null, states ?? null, isPrivate ?? null];
    const conditions = [...patterns, suites ?? null, architectures ?? null, ...outcome];
    const among = [userId, before, lookedAtMax];
    const runs = await this.database.query(FIND, [...among, ...conditions, limit + 1]);
    if (runs.length > limit) return { runs: runs.slice(0, limit), next: runs[limit - 1]!.runId };
    const [edge] = await this.database.query(EDGE, among);
    return { runs, next: edge!.count < lookedAtMax ? null : edge!.last };
  }

  /**
   * A text that differs after each change of a list of a user's runs, for the newest thousand of them.
   * @param before only runs of lower ids
   */
  async version(userName: string, before: number | null): Promise<string> {
    const [row] = await this.database.query(VERSION, [userName, before, FOLLOWED_MAX]);
    return row!.version;
  }

  /** The runs among `runIds` that are in the user's list, newest requests first. @param userId null: runs of all users */
  byId(userId: number | null, runIds: number[]): Promise<RunRecord[]> {
    return this.database.query(BY_ID, [userId, runIds.filter(isRunId)]);
  }

  /** The keys of a user with which some of these runs were requested. */
  async keysOf(userId: number, runIds: number[]): Promise<number[]> {
    const rows = await this.database.query(KEYS, [userId, runIds.filter(isRunId)]);
    return rows.map(({ keyId }) => keyId);
  }
}

const BY_ID = selectRecords(
  `where ($1::integer is null or r.requestor_id = $1 or r.retried_by = $1 and not r.is_private) and r.run_id = any($2::bigint[])
  order by r.run_id desc`,
);

const KEYS = statement(
  { keyId: integer },
  'select distinct api_key_id as "keyId" from runs where requestor_id = $1 and run_id = any($2::bigint[])',
);

/** Parameters are known when the statement is planned, so that those that are null cost nothing. */
const AMONG = (columns: string, user = '$1'): string => `
  select ${columns} from (
    (select * from runs where requestor_id = ${user} and ($2::bigint is null or run_id < $2)
     order by run_id desc limit $3)
    union all
    (select * from runs where retried_by = ${user} and retried_by <> requestor_id and not is_private
       and ($2::bigint is null or run_id < $2)
     order by run_id desc limit $3)
  ) own order by run_id desc limit $3`;

const OWN_RUN_COLUMNS = {
  ...RECORD_COLUMNS,
  retrier: text.from('t.name').orNull,
} satisfies ColumnsOf<OwnRun>;

export const FIND = statement(
  OWN_RUN_COLUMNS,
  `
  select ${selectList(OWN_RUN_COLUMNS, 'r')}
  from (${AMONG('*')}) r join users u on u.user_id = r.requestor_id
    left join users t on t.user_id = r.retried_by
  where ($4::text is null or r.package like $4) and ($5::text is null or r.trigger like $5)
    and ($6::text[] is null or r.suite = any($6)) and ($7::text[] is null or r.arch = any($7))
    and ($8::text[] is null or r.verdict = any($8)) and ($9::text[] is null or r.state = any($9))
    and ($10::boolean is null or r.is_private = $10)
  order by r.run_id desc limit $11`,
);

const EDGE = statement(
  { last: bigint.orNull, count: integer },
  `select min(run_id) as last, count(*)::integer as count from (${AMONG('run_id')}) looked`,
);

const VERSION = statement(
  { version: text },
  `
  select concat(count(*), '-', md5(string_agg(
    concat_ws(' ', r.run_id, r.state, r.attempt, r.priority, r.is_private, r.updated_at), ','))) as version
  from (${AMONG('*', '(select user_id from users where name = $1)')}) r`,
);
