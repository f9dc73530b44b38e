import { Injectable } from '@nestjs/common';
import { type OtherPackages, TESTS_MAX, type Verdict } from '@proctor/contracts';
import { Database, type Statements } from '../kit/database';
import { parseList, listText, packedList, unpackedText } from './package-list';
import { type RunRecord, selectRecords } from '../runs/run-columns';
import { columnsOf, upsert } from '../kit/columns-of';
import { bigint, bytea, command, namesOf, valuesOfRow, statement, text, time } from '../kit/statement';
import { RunTestbedRow } from '../rows/run-testbed';
import { countsForStatus } from '../statuses/status-statements';

/** Versions, or the suites where they came from, by the names of binary packages. */
type Versions = ReadonlyMap<string, string>;

/** The testbed of a run. */
export interface StoredTestbed {
  /**
   * The packages of the testbed, and those that were installed or upgraded for the run, with the suites where they
   * came from if known; null if the result had no list.
   */
  packages: { testbed: Versions; added: Versions; suites: Versions } | null;
  /** The kernel of the testbed; null if unknown. */
  kernel: string | null;
  /** The line of the log which says that pins were given up, and the release from which all packages came then. */
  fallback: { line: number; release: string } | null;
  /** The first line of the log which says that a service was not started for lack of an init; null without one. */
  withoutInitLine: number | null;
  /** The first line of each test in the log, and its duration; the duration is null if the log does not have it. */
  tests: TestInLog[];
}

export interface TestInLog {
  name: string;
  line: number;
  seconds: number | null;
}

/**
 * A package whose version differs between a failed run and the run before, which had passed. An empty version: not
 * installed.
 */
export interface PackageChange {
  package: string;
  from: string;
  to: string;
}

/** A test that began to fail in a run in which a package had changed. */
export interface AffectedRun {
  package: string;
  suite: string;
  arch: string;
  runId: number;
  verdict: Verdict;
  /** The version of the tested package; `n/a` if unknown. */
  version: string;
  date: Date;
  /** The run before, which passed. */
  passedRunId: number;
  /** The package that changed, a binary package or the source of a trigger, and its versions; empty: not installed. */
  changed: string;
  from: string;
  to: string;
}

/** The number of changes that are saved for one run. */
const CHANGES_PER_RUN_MAX = 200;

/** The packages that runs had installed, saved compactly. A user who may read a run may read its packages. */
@Injectable()
export class RunTestbeds {
  constructor(private readonly database: Database) {}

  /**
   * Saves the testbed of a finished run, unless a later attempt is already saved.
   * @param others the packages that differ from what was requested
   */
  async saveTestbed(run: RunRecord, testbed: StoredTestbed, others: OtherPackages): Promise<void> {
    const { packages, kernel, fallback, withoutInitLine, tests } = testbed;
    const place = [run.package, run.suite, run.arch, run.finishedAt, run.runId];
    await this.database.transaction(async (transaction) => {
      const [bases] = packages ? await transaction.query(BASES, place) : [];
      const ids = packages && [
        await keepList(
          transaction,
          listText(packages.testbed, new Map()),
          bases?.testbedId ?? null,
          bases?.testbed ?? null,
        ),
        await keepList(
          transaction,
          listText(packages.added, packages.suites),
          bases?.addedId ?? null,
          bases?.added ?? null,
        ),
      ];
      const [testbedId = null, addedId = null] = ids ?? [];
      const row: RunTestbedRow = {
        runId: run.runId,
        attempt: run.attempt,
        testbedList: testbedId,
        addedList: addedId,
        kernel,
        fallbackLine: fallback?.line ?? null,
        fallbackRelease: fallback?.release ?? null,
        withoutInitLine,
        tests: tests.slice(0, TESTS_MAX).map((test) => [test.name, test.line, test.seconds]),
        finishedAt: run.finishedAt,
        otherVersions: others.versions,
        otherSuites: others.suites,
      };
      await transaction.query(KEEP, valuesOfRow(TESTBED_COLUMNS, row));
    });
  }

  /** The testbeds of runs, by run id. Runs without a saved testbed are absent. */
  async of(runIds: number[]): Promise<Map<number, StoredTestbed>> {
    const rows = await this.database.query(OF_RUNS, [runIds]);
    return new Map(
      rows.map((row) => {
        const { runId, kernel, fallbackLine: line, fallbackRelease: release, withoutInitLine } = row;
        const testbed = unpacked(row.testbed, row.testbedBase);
        const added = unpacked(row.added, row.addedBase);
        const packages = testbed &&
          added && { testbed: testbed.packages, added: added.packages, suites: added.suites };
        const fallback = line === null || release === null ? null : { line, release };
        const tests = row.tests.map(([name, line, seconds]) => ({ name, line, seconds }));
        return [runId, { packages, kernel, fallback, withoutInitLine, tests }];
      }),
    );
  }

  /**
   * The run before this one on the same place that counts for the status and is no tmpfail, if it passed; otherwise
   * null.
   */
  async passJustBefore({
    package: name,
    suite,
    arch,
    finishedAt,
    runId,
  }: RunRecord): Promise<RunRecord | null> {
    const [before] = await this.database.query(JUST_BEFORE, [name, suite, arch, finishedAt, runId]);
    return before?.verdict === 'pass' || before?.verdict === 'neutral' ? before : null;
  }

  /** Saves the packages that had changed when a run failed, at most CHANGES_PER_RUN_MAX of them. */
  async saveChanges(runId: number, passedRunId: number, changes: PackageChange[]): Promise<void> {
    const changesToSave = changes.slice(0, CHANGES_PER_RUN_MAX);
    if (changesToSave.length === 0) return;
    const columns = [
      changesToSave.map((each) => each.package),
      changesToSave.map(({ to }) => to),
      changesToSave.map(({ from }) => from),
    ];
    await this.database.query(KEEP_CHANGES, [runId, passedRunId, ...columns]);
  }

  /**
   * Public runs that failed when a package had changed, each after a run that had passed; newest first.
   * @param from the earlier version; null: any
   * @param to the later version; null: any
   */
  affectedBy(name: string, from: string | null, to: string | null, limit: number): Promise<AffectedRun[]> {
    return this.database.query(AFFECTED, [name, from, to, limit, CHANGES_LOOKED_AT_MAX]);
  }
}

/** Limits the number of rows that are read for a package that changes in every run. */
const CHANGES_LOOKED_AT_MAX = 5_000;

async function keepList(
  transaction: Statements,
  text: string,
  baseId: number | null,
  base: Buffer | null,
): Promise<number> {
  const list = packedList(text, base && unpackedText(base, null));
  await transaction.query(KEEP_LIST, [list.digest, list.hasBase ? baseId : null, list.content]);
  const [row] = await transaction.query(LIST_ID, [list.digest]);
  return row!.listId;
}

function unpacked(content: Buffer | null, base: Buffer | null): ReturnType<typeof parseList> | null {
  return content && parseList(unpackedText(content, base && unpackedText(base, null)));
}

/** The number of runs of a place that are searched for base lists. */
const BASES_LOOKED_AT = 20;

const BEFORE = (b: string): string => `
  ${b}.package = $1 and ${b}.suite = $2 and ${b}.arch = $3 and (${b}.finished_at, ${b}.run_id) < ($4::timestamptz, $5::bigint)`;
const NEWEST_FIRST = 'order by b.finished_at desc, b.run_id desc';

/** The whole lists of an earlier run, which are the bases of the next lists. */
const BASES = statement(
  { testbedId: bigint, testbed: bytea, addedId: bigint, added: bytea },
  `
  select testbed.list_id as "testbedId", testbed.content as testbed, added.list_id as "addedId", added.content as added
  from (
    select b.run_id, b.finished_at from runs b
    where ${BEFORE('b')} and b.state = 'finished' and not b.is_private ${NEWEST_FIRST} limit ${BASES_LOOKED_AT}
  ) b
  join run_testbeds t using (run_id)
  join package_lists of_testbed on of_testbed.list_id = t.testbed_list
  join package_lists of_added on of_added.list_id = t.added_list
  join package_lists testbed on testbed.list_id = coalesce(of_testbed.base_list, of_testbed.list_id)
  join package_lists added on added.list_id = coalesce(of_added.base_list, of_added.list_id)
  ${NEWEST_FIRST} limit 1`,
);

const KEEP_LIST = command(`
  insert into package_lists (digest, base_list, content)
  select $1, $2, $3 where not exists (select from package_lists where digest = $1) on conflict do nothing`);

const LIST_ID = statement(
  { listId: bigint },
  'select list_id as "listId" from package_lists where digest = $1',
);

const TESTBED_COLUMNS = columnsOf(RunTestbedRow);

/** Saves a whole row, in the form of `valuesOfRow`. */
const KEEP = command(`
  insert into run_testbeds as kept (${namesOf(TESTBED_COLUMNS)})
  values (${Object.keys(TESTBED_COLUMNS)
    .map((_, place) => `$${place + 1}`)
    .join(', ')})
  ${upsert(RunTestbedRow)}
  where kept.attempt < excluded.attempt`);

const OF_RUNS = statement(
  {
    ...columnsOf(
      RunTestbedRow,
      'runId',
      'kernel',
      'fallbackLine',
      'fallbackRelease',
      'withoutInitLine',
      'tests',
    ),
    testbed: bytea.orNull,
    testbedBase: bytea.orNull,
    added: bytea.orNull,
    addedBase: bytea.orNull,
  },
  `
  select t.run_id as "runId", t.kernel, t.fallback_line as "fallbackLine", t.fallback_release as "fallbackRelease",
    t.without_init_line as "withoutInitLine",
    testbed.content as testbed, testbed_base.content as "testbedBase", added.content as added, added_base.content as "addedBase",
    t.tests
  from run_testbeds t
  left join package_lists testbed on testbed.list_id = t.testbed_list
  left join package_lists testbed_base on testbed_base.list_id = testbed.base_list
  left join package_lists added on added.list_id = t.added_list
  left join package_lists added_base on added_base.list_id = added.base_list
  where t.run_id = any($1::bigint[])`,
);

const JUST_BEFORE = selectRecords(`
  where r.run_id = (select b.run_id from runs b where ${BEFORE('b')} and ${countsForStatus('b')} and b.verdict <> 'tmpfail'
    ${NEWEST_FIRST} limit 1)`);

const KEEP_CHANGES = command(`
  insert into run_changes (package, to_version, from_version, run_id, passed_run_id)
  select changed.package, changed.to_version, changed.from_version, $1::bigint, $2::bigint
  from unnest($3::text[], $4::text[], $5::text[]) as changed(package, to_version, from_version)
  on conflict do nothing`);

const AFFECTED = statement(
  {
    package: text,
    suite: text,
    arch: text,
    runId: bigint,
    verdict: text.as<Verdict>(),
    version: text,
    date: time,
    passedRunId: bigint,
    changed: text,
    from: text,
    to: text,
  },
  `
  select r.package, r.suite, r.arch, r.run_id as "runId", least(r.verdict) as verdict, least(r.version) as version,
    least(r.finished_at) as date, c.passed_run_id as "passedRunId", c.package as changed, c.from_version as "from",
    c.to_version as "to"
  from (
    select * from run_changes c where c.package = $1 and ($3::text is null or c.to_version = $3)
      and ($2::text is null or c.from_version = $2)
    order by c.run_id desc limit $5
  ) c
  join runs r on r.run_id = c.run_id and r.state = 'finished' and not r.is_private and not r.cancelled and r.verdict = 'fail'
  join runs passed on passed.run_id = c.passed_run_id and not passed.is_private
  order by c.run_id desc limit $4`,
);
