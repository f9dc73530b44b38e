import { Injectable } from '@nestjs/common';
import type { Verdict } from '@proctor/contracts';
import { Database } from './database';
import { RECORD_COLUMNS, type RunRecord } from './run-columns';
import { type RunReader, seenBy, TRIGGER_WORDS } from './run-search';
import { bigint, integer, selected, statement, text, time } from './statement';

/** A run that was asked for to tell how a package is without anything new. */
export interface ReferenceRun {
  runId: number;
  verdict: Verdict;
  version: string;
  date: Date;
}

/** A run of a trigger; of a failed one, the newest public run of its package and place that was asked for as a reference. */
export interface RunOfTrigger extends RunRecord {
  /** Null where there is none, and of runs that have not failed. */
  reference: ReferenceRun | null;
  /** Of the first error of its log; null where there is none. */
  errorSignature: string | null;
}

/** A word of triggers, with the public runs that have it. */
export interface Trigger {
  /** As a rule `package/version`. */
  name: string;
  /** Its newest run. */
  runId: number;
  runs: number;
  unfinished: number;
  failed: number;
  /** When the oldest and the newest of them were asked for. */
  firstAt: Date;
  lastAt: Date;
}

export interface TriggerPart {
  triggers: Trigger[];
  /** What the next part is asked for with; null at the end. */
  before: number | null;
}

/** What a package is tested on. */
export interface TestPlace {
  package: string;
  suite: string;
  arch: string;
}

/** The trigger of runs that tell how packages are without anything new. */
export const REFERENCE_TRIGGER = 'migration-reference/0';

/** Runs of a trigger that are looked at, the newest. */
export const TRIGGER_RUNS_MAX = 5_000;

/** One part of the list of triggers is made of so many of the newest runs at most. */
const RUNS_LOOKED_AT_MAX = 10_000;

/** Finds the runs that new versions of packages have triggered. */
@Injectable()
export class TriggerRuns {
  constructor(private readonly database: Database) {}

  /**
   * What differs after each change of runs that have a word in their trigger and that the reader may see; empty without any.
   * @throws DatabaseUnavailable
   */
  async version(name: string, { everything = false, keyId, userName }: RunReader): Promise<string> {
    const reader = [everything, keyId ?? null, userName ?? null];
    const [row] = await this.database.query(VERSION, [name, TRIGGER_RUNS_MAX, ...reader]);
    return row?.version ?? '';
  }

  /**
   * The newest runs that have a word in their trigger, newest first.
   * @throws DatabaseUnavailable
   */
  async of(name: string, { everything = false, keyId, userName }: RunReader): Promise<RunOfTrigger[]> {
    const reader = [everything, keyId ?? null, userName ?? null];
    const rows = await this.database.query(OF_TRIGGER, [name, TRIGGER_RUNS_MAX, ...reader]);
    return rows.map(
      ({ referenceRunId: runId, referenceVerdict: verdict, referenceVersion, referenceAt, ...run }) => {
        if (runId === null || verdict === null || referenceAt === null) return { ...run, reference: null };
        return {
          ...run,
          reference: { runId, verdict, version: referenceVersion ?? 'n/a', date: referenceAt },
        };
      },
    );
  }

  /**
   * Words of the triggers of public runs, but for references, by their newest run, the newest first.
   * @param part characters that they have in them; empty: all
   * @param before only those whose newest run has a lower id
   * @throws DatabaseUnavailable
   */
  async list(part: string, limit: number, before: number | null): Promise<TriggerPart> {
    const triggers = await this.database.query(TRIGGERS, [limit, before, part]);
    if (triggers.length === limit) return { triggers, before: triggers.at(-1)!.runId };
    const [looked] = await this.database.query(LOOKED_AT, [before]);
    const { runs, oldest } = looked!;
    return { triggers, before: runs === RUNS_LOOKED_AT_MAX ? oldest : null };
  }

  /** Whether a public run has the word in its trigger. @throws DatabaseUnavailable */
  async isKnown(name: string): Promise<boolean> {
    return (await this.database.query(IS_KNOWN, [name])).length > 0;
  }

  /**
   * The line of each run's log that tells of its first error; runs without one are left out.
   * @throws DatabaseUnavailable
   */
  async errorLines(runIds: number[]): Promise<ReadonlyMap<number, string>> {
    const rows = await this.database.query(ERROR_LINES, [runIds]);
    return new Map(rows.map(({ runId, line }) => [runId, line]));
  }

  /**
   * How long tests take as a rule, in seconds, of public runs; in the order of the places, null where it is not known.
   * @throws DatabaseUnavailable
   */
  async medianSeconds(places: TestPlace[]): Promise<(number | null)[]> {
    const rows = await this.database.query(MEDIANS, arraysOf(places));
    const known = new Map(rows.map(({ place, seconds }) => [place, seconds]));
    return places.map((_, index) => known.get(index + 1) ?? null);
  }

  /**
   * Public references that have not finished; in the order of the places, null where there is none.
   * @throws DatabaseUnavailable
   */
  async unfinishedReferences(places: TestPlace[]): Promise<(number | null)[]> {
    const rows = await this.database.query(UNFINISHED_REFERENCES, arraysOf(places));
    const known = new Map(rows.map(({ place, runId }) => [place, runId]));
    return places.map((_, index) => known.get(index + 1) ?? null);
  }
}

function arraysOf(places: TestPlace[]): string[][] {
  return [
    places.map((place) => place.package),
    places.map(({ suite }) => suite),
    places.map(({ arch }) => arch),
  ];
}

const OF_TRIGGER_COLUMNS = {
  ...RECORD_COLUMNS,
  errorSignature: text.orNull,
  referenceRunId: bigint.orNull.from('reference.run_id'),
  referenceVerdict: text.as<Verdict>().orNull.from('reference.verdict'),
  referenceVersion: text.orNull.from('reference.version'),
  referenceAt: time.orNull.from('reference.finished_at'),
};

/** In the words of the index `runs_triggers`. */
const hasWord = (r: string, word: string): string =>
  `${r}.trigger is not null and ${TRIGGER_WORDS(r)} @> array[${word}]`;

/** The newest public reference `b` of the package of `r` on its place that ended, and not as a tmpfail. */
export const newestReference = (r: string): string => `
  select b.run_id, b.verdict, b.version, b.finished_at from runs b
  where b.package = ${r}.package and b.suite = ${r}.suite and b.arch = ${r}.arch
    and b.state = 'finished' and not b.is_private and not b.cancelled and b.verdict <> 'tmpfail'
    and b.trigger = '${REFERENCE_TRIGGER}'
  order by b.finished_at desc, b.run_id desc limit 1`;

const OF_TRIGGER = statement(
  OF_TRIGGER_COLUMNS,
  `
  select ${selected(OF_TRIGGER_COLUMNS, 'r')}
  from (
    select * from runs r where ${hasWord('r', '$1::text')} and ${seenBy(3)} order by r.run_id desc limit $2
  ) r
  join users u on u.user_id = r.requestor_id
  left join lateral (
    select * from (${newestReference('r')}) newest where r.verdict = 'fail'
  ) reference on true
  order by r.run_id desc`,
);

/** Of the runs of a trigger: it differs after each change. */
const VERSION = statement(
  { version: text },
  `
  select concat_ws(' ', count(*), max(r.updated_at), sum(r.attempt), count(*) filter (where r.state = 'running')) as version
  from (
    select * from runs r where ${hasWord('r', '$1::text')} and ${seenBy(3)} order by r.run_id desc limit $2
  ) r
  having count(*) > 0`,
);

/** The newest public runs before $n. */
const lookedAt = (before: string): string => `
  select r.run_id, r.trigger from runs r where not r.is_private and (${before}::bigint is null or r.run_id < ${before})
  order by r.run_id desc limit ${RUNS_LOOKED_AT_MAX}`;

/**
 * What was shown in a part before has a run that is no older than $2. All runs of a word are counted, so that they are found by the
 * word: for the first of them, the planner would rather look through the newest runs of all.
 */
export const TRIGGERS = statement(
  {
    name: text,
    runId: bigint,
    runs: integer,
    unfinished: integer,
    failed: integer,
    firstAt: time,
    lastAt: time,
  },
  `
  with looked_at as materialized (${lookedAt('$2')}),
  words as (
    select word as name, max(r.run_id) as newest
    from looked_at r cross join lateral unnest(${TRIGGER_WORDS('r')}) as word
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
  from shown cross join lateral (
    select count(*)::integer as runs, (count(*) filter (where c.state <> 'finished'))::integer as unfinished,
      (count(*) filter (where c.verdict = 'fail'))::integer as failed,
      min(c.created_at) as "firstAt", max(c.created_at) as "lastAt"
    from runs c where ${hasWord('c', 'shown.name')} and not c.is_private
  ) counted
  order by shown.newest desc, shown.name`,
);

const LOOKED_AT = statement(
  { runs: integer, oldest: bigint.orNull },
  `select count(*)::integer as runs, min(run_id) as oldest from (${lookedAt('$1')}) looked_at`,
);

const IS_KNOWN = statement(
  { runId: bigint },
  `select r.run_id as "runId" from runs r where ${hasWord('r', '$1::text')} and not r.is_private limit 1`,
);

const ERROR_LINES = statement(
  { runId: bigint, line: text },
  `
  select * from (
    select r.run_id as "runId", r.error_excerpt -> 'lines' ->>
      ((r.error_excerpt ->> 'errorLine')::integer - (r.error_excerpt ->> 'firstLine')::integer) as line
    from runs r where r.run_id = any($1::bigint[])
  ) told where line is not null`,
);

const PLACES = `unnest($1::text[], $2::text[], $3::text[]) with ordinality as asked(package, suite, arch, place)`;

const MEDIANS = statement(
  { place: bigint, seconds: integer.orNull },
  `
  select asked.place, s.median_seconds as seconds from ${PLACES}
  join package_statuses s using (package, suite, arch)`,
);

const UNFINISHED_REFERENCES = statement(
  { place: bigint, runId: bigint },
  `
  select asked.place, r.run_id as "runId" from ${PLACES} cross join lateral (
    select r.run_id from runs r
    where r.package = asked.package and r.suite = asked.suite and r.arch = asked.arch and r.state <> 'finished'
      and not r.is_private and r.trigger = '${REFERENCE_TRIGGER}'
    order by r.run_id limit 1
  ) r`,
);
