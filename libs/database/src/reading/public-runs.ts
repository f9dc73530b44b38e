import { Injectable } from '@nestjs/common';
import type { Fact, TestResult } from '@proctor/contracts';
import type { RunError } from '@proctor/dispatch';
import { Database, type PoolUse } from '../kit/database';
import { Decisions } from '../dispatch/decisions';
import { Facts } from '../runs/facts';
import { Results } from './results';
import type { DayFilter } from '../statuses/day-statistics';
import { type PackageStatus, packageStatus, STATUSES_OF } from '../statuses/package-statuses';
import * as statements from './public-statements';
import type { QueueLength, QueueRate, WaitingShare } from './public-statements';
import type { RunRecord } from '../runs/run-columns';
import type { RunReader } from '../runs/run-search';
import {
  type DayCounts,
  type StatusCounts,
  type StatusPart,
  type StatusRecord,
  statusRecord,
  type StatusVersion,
} from '../statuses/status';
import {
  CHANGES,
  CHANGES_OF_PACKAGE,
  STATUS_COUNTS,
  STATUS_HISTORY,
  STATUS_OF,
  STATUS_VERSION,
} from '../statuses/status-statements';

/** The latest run of a package on one suite and architecture. */
interface PackageSuite {
  suite: string;
  arch: string;
  latest: RunRecord;
}

/**
 * Public data: private runs are neither shown nor counted, except in the lengths and rates of queues for
 * administrators.
 */
@Injectable()
export class PublicRuns {
  private readonly results: Results;
  private readonly facts: Facts;
  private readonly decisions: Decisions;

  constructor(private readonly database: Database) {
    this.results = new Results(database);
    this.facts = new Facts(database);
    this.decisions = new Decisions(database);
  }

  /** The use of the connections for public data; see Vitals.poolUse. */
  poolUse(): PoolUse {
    return this.database.poolUse();
  }

  /** See Decisions.pauses. */
  pauses(): ReturnType<Decisions['pauses']> {
    return this.decisions.pauses();
  }

  /** A run by its id, private ones included: the caller checks whether it may be seen. */
  find(runId: number): Promise<RunRecord | null> {
    return this.results.find(runId);
  }

  /** See Facts.ofRun. */
  storyOf(runId: number, reader: RunReader): Promise<Fact[]> {
    return this.facts.ofRun(runId, reader);
  }

  /** See Results.testsOf. */
  testsOf(runId: number): Promise<TestResult[]> {
    return this.results.testsOf(runId);
  }

  /** See Results.errorOf. */
  errorOf(runId: number): Promise<RunError | null> {
    return this.results.errorOf(runId);
  }

  /** The newest finished run without pins and extra sources, not cancelled: the package's present state. */
  async latest(suite: string, arch: string, packageName: string): Promise<RunRecord | null> {
    const [record] = await this.database.query(statements.LATEST, [packageName, suite, arch]);
    return record ?? null;
  }

  /**
   * Finished runs, newest first.
   * @param beforeRunId only runs that are older than this one; if it is none of them, the list is empty
   */
  history(
    suite: string,
    arch: string,
    packageName: string,
    limit: number,
    beforeRunId?: number,
  ): Promise<RunRecord[]> {
    const place = [packageName, suite, arch, limit];
    if (beforeRunId === undefined) return this.database.query(statements.HISTORY, place);
    return this.database.query(statements.HISTORY_BEFORE, [...place, beforeRunId]);
  }

  /** Leased or running runs, the longest running first. */
  running(limit: number): Promise<RunRecord[]> {
    return this.database.query(statements.RUNNING, [limit]);
  }

  /** Finished runs, newest first. */
  recent(limit: number): Promise<RunRecord[]> {
    return this.database.query(statements.RECENT, [limit]);
  }

  /** Queued runs, by priority and then by arrival; fair share may serve them in another order. */
  waiting(limit: number): Promise<RunRecord[]> {
    return this.database.query(statements.WAITING, [limit]);
  }

  /**
   * The queues of all suites and architectures that have an unfinished run.
   * @param everything counts private runs too, for administrators
   */
  queues(everything = false): Promise<QueueLength[]> {
    return this.database.query(everything ? statements.ALL_QUEUES : statements.QUEUES);
  }

  /**
   * The rates of all suites and architectures where a run finished within the last hour; cancelled runs do not count.
   * @param everything counts private runs too, for administrators
   */
  rates(everything = false): Promise<QueueRate[]> {
    return this.database.query(everything ? statements.ALL_RATES : statements.RATES);
  }

  /** The user with the most runs that wait for their first attempt; null if none waits. */
  async waitingShare({ suite, arch }: DayFilter): Promise<WaitingShare | null> {
    const [share] = await this.database.query(statements.WAITING_SHARE, [suite, arch]);
    return share ?? null;
  }

  /** The present state of each package that has one, by name. */
  async statusOf(suite: string, arch: string, part: StatusPart = {}): Promise<StatusRecord[]> {
    const { after = '', limit = null, verdicts = null } = part;
    return (await this.database.query(STATUS_OF, [suite, arch, after, limit, verdicts])).map(statusRecord);
  }

  /** A value that changes whenever the answers of `statusOf`, `statusCounts` or `statusHistory` change. */
  async statusVersion(suite: string, arch: string): Promise<StatusVersion> {
    const [version] = await this.database.query(STATUS_VERSION, [suite, arch]);
    return version!;
  }

  /** The number of packages in each state now. */
  async statusCounts(suite: string, arch: string): Promise<StatusCounts> {
    const [counts] = await this.database.query(STATUS_COUNTS, [suite, arch]);
    return counts!;
  }

  /**
   * The number of packages in each state at the end of each day, UTC, oldest first; the last day is today, as it is
   * now.
   */
  statusHistory(suite: string, arch: string, days: number): Promise<DayCounts[]> {
    return this.database.query(STATUS_HISTORY, [suite, arch, days]);
  }

  /**
   * Runs that ended differently from the run before on the same suite and architecture, newest first. A tmpfail is
   * skipped. The first run of a package is a change if it failed; its `previousStatus` is null.
   * @param packageName null: all packages, as far back as about ten thousand runs
   * @param neutralIsPass whether `neutral` and `pass` count as the same
   */
  async statusChanges(
    packageName: string | null,
    limit: number,
    neutralIsPass = true,
  ): Promise<StatusRecord[]> {
    const [statement, name] = packageName === null ? [CHANGES, []] : [CHANGES_OF_PACKAGE, [packageName]];
    return (await this.database.query(statement, [limit, neutralIsPass, ...name])).map(statusRecord);
  }

  /** The suites and architectures where a package has a present state, with the run that decides it. */
  async suitesOf(packageName: string): Promise<PackageSuite[]> {
    const records = await this.database.query(statements.SUITES_OF, [packageName]);
    return records.map((latest) => ({ suite: latest.suite, arch: latest.arch, latest }));
  }

  /** The newest public run of the package on each place, where a run found that the package does not exist. */
  absentFrom(packageName: string): Promise<RunRecord[]> {
    return this.database.query(statements.ABSENT_FROM, [packageName]);
  }

  /**
   * The statuses of packages on each suite and architecture, by package, suite and architecture. One statement reads
   * all.
   */
  async packageStatuses(packages: string[]): Promise<PackageStatus[]> {
    return (await this.database.query(STATUSES_OF, [packages])).map(packageStatus);
  }

  /** The prefixes, in the form of `packagePrefix`, of all packages that a public run was requested for. */
  async prefixes(): Promise<string[]> {
    const rows = await this.database.query(statements.PREFIXES);
    return rows.map((row) => row.prefix);
  }

  /** The number of waiting runs of the same test: public ones, and those of the key. */
  async equalWaiting(run: Pick<RunRecord, 'runId'>, keyId: number | null): Promise<number> {
    const [row] = await this.database.query(statements.EQUAL_WAITING, [run.runId, keyId]);
    return row!.count;
  }
}
