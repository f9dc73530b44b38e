import { Injectable } from '@nestjs/common';
import type { Verdict } from '@proctor/contracts';
import { Database } from '../kit/database';
import { ofSignature } from './error-signatures';
import { type RunRecord, selectRecords } from '../runs/run-columns';
import { bigint, integer, statement, text, time } from '../kit/statement';
import type { ReferenceRun } from './trigger-runs';
import { newestReference, REFERENCE_TRIGGER } from './trigger-statements';

/** Other packages that fail with the same first error. */
export interface SameError {
  package: string;
  /** The newest run of the package with this error. */
  runId: number;
  runs: number;
}

/** The number of the newest runs with an error that are searched. */
const SAME_ERROR_RUNS_MAX = 1_000;

/** What was found in the log of a run; null: nothing. */
interface InLog {
  /** The signature of the first error. */
  signature: string | null;
  /** See StoredTestbed. */
  withoutInitLine: number | null;
}

/** Public runs that help to explain why another run failed. */
@Injectable()
export class TriageRuns {
  constructor(private readonly database: Database) {}

  /** The newest finished reference of the package on the place that is no tmpfail. */
  async reference({ package: name, suite, arch }: RunRecord): Promise<ReferenceRun | null> {
    const [row] = await this.database.query(REFERENCE, [name, suite, arch]);
    return row ?? null;
  }

  /** The newest earlier run that passed with the same version on the same place, on the same backend if there is one. */
  async passOfVersion(run: RunRecord): Promise<RunRecord | null> {
    const place = [run.package, run.suite, run.arch, run.finishedAt, run.runId];
    const [row] = await this.database.query(PASS_OF_VERSION, [...place, run.version, run.backend]);
    return row ?? null;
  }

  /**
   * The version that was tested on the place of a run before it: by the newest earlier reference of another version, or
   * else by the newest earlier run of another version that passed. Null if there is none.
   */
  async versionBefore(run: RunRecord): Promise<string | null> {
    const place = [run.package, run.suite, run.arch, run.finishedAt, run.runId];
    const [row] = await this.database.query(VERSION_BEFORE, [...place, run.version]);
    return row!.version;
  }

  /**
   * The newest later run of the same test on the same place for the same trigger. Private runs count only if they
   * have the same key.
   */
  async later(run: RunRecord): Promise<RunRecord | null> {
    const test = [run.package, run.suite, run.arch, run.trigger];
    const same = [JSON.stringify(run.pinPackages), JSON.stringify(run.extraAptSources)];
    const visible = [run.isPrivate ? run.keyId : null];
    const [row] = await this.database.query(LATER, [...test, ...same, run.runId, run.finishedAt, ...visible]);
    return row ?? null;
  }

  /** Other packages with the same first error, those with the most runs first. */
  sameError(signature: string, packageName: string, limit: number): Promise<SameError[]> {
    return this.database.query(SAME_ERROR, [signature, packageName, limit]);
  }

  /** What was found in the log of a run. */
  async inLog(runId: number): Promise<InLog> {
    const [row] = await this.database.query(IN_LOG, [runId]);
    return row ?? { signature: null, withoutInitLine: null };
  }
}

const REFERENCE = statement(
  { runId: bigint, verdict: text.as<Verdict>(), version: text, date: time },
  `
  select newest.run_id as "runId", coalesce(newest.verdict, 'tmpfail') as verdict,
    coalesce(newest.version, 'n/a') as version, coalesce(newest.finished_at, now()) as date
  from (select $1::text as package, $2::text as suite, $3::text as arch) r
  cross join lateral (${newestReference('r')}) newest`,
);

const EARLIER = `
  p.package = $1 and p.suite = $2 and p.arch = $3 and (p.finished_at, p.run_id) < ($4::timestamptz, $5::bigint)
    and p.state = 'finished' and not p.is_private`;
const HAS_PASSED = `p.verdict in ('pass', 'neutral')`;
const PASSES_OF_VERSION = `select p.run_id from runs p where ${EARLIER} and ${HAS_PASSED} and p.version = $6`;
const NEWEST = 'order by p.finished_at desc, p.run_id desc limit 1';
const PASS_OF_VERSION = selectRecords(`
  where r.run_id = coalesce(
    (${PASSES_OF_VERSION} and p.backend = $7 ${NEWEST}),
    (${PASSES_OF_VERSION} ${NEWEST}))`);

const EARLIER_VERSIONS = `select p.version from runs p where ${EARLIER} and not p.cancelled and p.version <> $6`;
const VERSION_BEFORE = statement(
  { version: text.orNull },
  `
  select coalesce(
    (${EARLIER_VERSIONS} and p.trigger = '${REFERENCE_TRIGGER}' and p.verdict <> 'tmpfail' ${NEWEST}),
    (${EARLIER_VERSIONS} and ${HAS_PASSED} ${NEWEST})) as version`,
);

const SAME_TEST = `
  n.package = $1 and n.suite = $2 and n.arch = $3 and n.trigger is not distinct from $4::text
  and n.pin_packages = $5::jsonb and n.extra_apt_sources = $6::jsonb and n.run_id > $7::bigint and not n.cancelled`;

/** Each part has an index by package. */
const LATER = selectRecords(`
  where r.run_id = (
    select max(run_id) from (
      (select n.run_id from runs n where ${SAME_TEST} and n.state = 'finished' and not n.is_private
        and n.finished_at > $8::timestamptz)
      union all
      (select n.run_id from runs n where ${SAME_TEST} and n.state <> 'finished'
        and (not n.is_private or n.api_key_id = $9::integer))
      union all
      (select n.run_id from runs n where ${SAME_TEST} and n.is_private and n.api_key_id = $9::integer)
    ) later)`);

export const SAME_ERROR = statement(
  { package: text, runId: bigint, runs: integer },
  `
  select package, max(run_id) as "runId", count(*)::integer as runs
  from (
    select r.package, r.run_id from runs r where ${ofSignature('$1')}
    order by r.finished_at desc, r.run_id desc limit ${SAME_ERROR_RUNS_MAX}
  ) newest
  where package <> $2 group by package order by count(*) desc, package limit $3`,
);

const IN_LOG = statement(
  { signature: text.orNull, withoutInitLine: integer.orNull },
  `
  select r.error_signature as signature, t.without_init_line as "withoutInitLine"
  from runs r left join run_testbeds t using (run_id) where r.run_id = $1`,
);
