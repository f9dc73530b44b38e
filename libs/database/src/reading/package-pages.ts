import type { ErrorExcerpt, Verdict } from '@proctor/contracts';
import { Injectable } from '@nestjs/common';
import type { RunError } from '@proctor/dispatch';
import { Database } from '../kit/database';
import { type RunRecord, selectRecords } from '../runs/run-columns';
import { bigint, boolean, jsonb, statement, text } from '../kit/statement';

/** A filter of the finished runs in a history; null matches all. */
export interface HistoryFilter {
  verdicts: Verdict[] | null;
  /** A part of the trigger, in any letter case. */
  trigger: string | null;
  /** True: only runs with pins or extra sources; false: only runs without both. */
  isPinned: boolean | null;
}

/** The data for the pages of packages. Private runs, and names that only they made known, are ignored. */
@Injectable()
export class PackagePages {
  constructor(private readonly database: Database) {}

  /** Whether a public run of the package was ever requested. */
  async isKnown(name: string): Promise<boolean> {
    const [row] = await this.database.query(IS_KNOWN, [name]);
    return row!.isKnown;
  }

  /**
   * A text that changes whenever the pages of a package would change: by its newest unfinished runs, or its statuses.
   * Empty for an unknown package.
   */
  async version(name: string): Promise<string> {
    const [row] = await this.database.query(VERSION, [name]);
    return row!.version;
  }

  /**
   * Names that contain these characters: first the exact name, then those that begin with them, then the others;
   * shorter ones first.
   */
  async search(part: string, limit: number): Promise<string[]> {
    return (await this.database.query(SEARCH, [part, limit])).map(({ name }) => name);
  }

  /** The first errors of the logs of public runs, by run; runs without a known error are left out. */
  async errorsOf(runIds: number[]): Promise<ReadonlyMap<number, RunError>> {
    const rows = await this.database.query(ERRORS, [runIds]);
    return new Map(rows.map(({ runId, signature, excerpt }) => [runId, { signature, excerpt }]));
  }

  /** Unfinished runs: leased and running ones first, then the waiting ones in the order of their queue. */
  listUnfinished(name: string, limit: number): Promise<RunRecord[]> {
    return this.database.query(UNFINISHED, [name, limit]);
  }

  /** The id of the last of the first `passed` runs of a history; null if no run follows it. @param passed at least 1 */
  async runBehind(
    place: [packageName: string, suite: string, arch: string],
    { verdicts, trigger, isPinned }: HistoryFilter,
    passed: number,
  ): Promise<number | null> {
    // Reads this run and the next one.
    const rows = await this.database.query(BEHIND, [...place, passed - 1, verdicts, trigger, isPinned]);
    return rows.length === 2 ? rows[0]!.runId : null;
  }

  /**
   * Finished runs of a package on a suite and architecture, newest first.
   * @param place package, suite and architecture
   * @param beforeRunId only runs that are older than this one; null for the newest
   */
  history(
    place: [packageName: string, suite: string, arch: string],
    { verdicts, trigger, isPinned }: HistoryFilter,
    limit: number,
    beforeRunId: number | null,
  ): Promise<RunRecord[]> {
    const parameters = [...place, limit, verdicts, trigger, isPinned];
    return beforeRunId === null
      ? this.database.query(FILTERED, parameters)
      : this.database.query(FILTERED_BEFORE, [...parameters, beforeRunId]);
  }
}

const IS_KNOWN = statement(
  { isKnown: boolean },
  'select exists (select from packages where name = $1 and is_public) as "isKnown"',
);

/** The number of unfinished runs that are part of a version. */
const RUNS_LOOKED_AT = 200;

/** Reads only small rows through an index, because open pages ask for it all the time. */
const VERSION = statement(
  { version: text },
  `
  select case when exists (select from packages where name = $1 and is_public) then concat(
    (select md5(string_agg(concat_ws(' ', r.run_id, r.state, r.attempt, r.priority, r.started_at, r.updated_at), ','))
     from (
       select * from runs r where r.package = $1 and r.state <> 'finished' and not r.is_private
       order by r.run_id desc limit ${RUNS_LOOKED_AT}
     ) r), '-',
    (select md5(string_agg(concat_ws(' ', s.suite, s.arch, s.run_id, s.strip), ',' order by s.suite, s.arch))
     from package_statuses s where s.package = $1)) else '' end as version`,
);

const SEARCH = statement(
  { name: text },
  `
  select name from packages where is_public and position($1 in name) > 0
  order by name <> $1, not starts_with(name, $1), length(name), name limit $2`,
);

const ERRORS = statement(
  { runId: bigint, signature: text, excerpt: jsonb.as<ErrorExcerpt>() },
  `
  select r.run_id as "runId", least(r.error_signature) as signature, least(r.error_excerpt) as excerpt from runs r
  where r.run_id = any($1::bigint[]) and not r.is_private and r.error_signature is not null and r.error_excerpt is not null`,
);

const UNFINISHED = selectRecords(`
  where r.package = $1 and r.state <> 'finished' and not r.is_private
  order by r.state = 'queued', r.priority desc, r.created_at, r.run_id limit $2`);

const NEWEST_FIRST = 'order by r.finished_at desc, r.run_id desc';
const OF_PLACE = `
  r.package = $1 and r.suite = $2 and r.arch = $3 and r.state = 'finished' and not r.is_private`;
const AS_ASKED = `
  ($5::text[] is null or r.verdict = any($5::text[]))
  and ($6::text is null or position(lower($6::text) in lower(r.trigger)) > 0)
  and ($7::boolean is null or (r.pin_packages <> '[]' or r.extra_apt_sources <> '[]') = $7::boolean)`;

const BEHIND = statement(
  { runId: bigint },
  `select r.run_id as "runId" from runs r where ${OF_PLACE} and ${AS_ASKED} ${NEWEST_FIRST} limit 2 offset $4`,
);

const FILTERED = selectRecords(`where ${OF_PLACE} and ${AS_ASKED} ${NEWEST_FIRST} limit $4`);

/** Empty if $8 is not a finished public run of the place. */
const FILTERED_BEFORE = selectRecords(`
  where ${OF_PLACE} and ${AS_ASKED} and (r.finished_at, r.run_id) < (
    select r.finished_at, r.run_id from runs r where r.run_id = $8 and ${OF_PLACE})
  ${NEWEST_FIRST} limit $4`);
