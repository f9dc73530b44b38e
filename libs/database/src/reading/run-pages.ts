import { Injectable } from '@nestjs/common';
import type { TestResult } from '@proctor/contracts';
import { Database } from '../kit/database';
import { type AttemptRecord, Results } from './results';
import { type RunRecord, selectRecords } from '../runs/run-columns';
import { TRIGGER_WORDS } from '../runs/run-search';
import { type StoredTestbed, RunTestbeds } from './run-testbeds';
import { bigint, jsonb, statement } from '../kit/statement';
import { countsForStatus } from '../statuses/status-statements';

/** The data of other, public runs for the page of a run. */
@Injectable()
export class RunPages {
  private readonly results: Results;
  private readonly testbeds: RunTestbeds;

  constructor(private readonly database: Database) {
    this.results = new Results(database);
    this.testbeds = new RunTestbeds(database);
  }

  /**
   * The results of single tests in the newest runs before this one, on the same place, that count for the status of
   * the package.
   * @returns one list for each run, oldest first
   */
  async testsBefore(run: RunRecord, limit: number): Promise<TestResult[][]> {
    const place = [run.package, run.suite, run.arch, run.finishedAt, run.runId];
    const rows = await this.database.query(TESTS_BEFORE, [...place, limit]);
    return rows.map(({ tests }) => tests).reverse();
  }

  /**
   * The newest run before this one that passed on the same place with the same pins and sources; null if there is
   * none.
   */
  async passBefore(run: RunRecord): Promise<RunRecord | null> {
    const place = [run.package, run.suite, run.arch, run.finishedAt, run.runId];
    const same = [JSON.stringify(run.pinPackages), JSON.stringify(run.extraAptSources)];
    const [row] = await this.database.query(PASS_BEFORE, [...place, ...same]);
    return row ?? null;
  }

  /** Public runs of the same package for the same trigger on other places, the newest request first. */
  sameTrigger({ package: name, trigger, suite, arch }: RunRecord, limit: number): Promise<RunRecord[]> {
    return this.database.query(SAME_TRIGGER, [name, trigger, suite, arch, limit]);
  }

  /** The attempts of a run, oldest first. */
  attemptsOf(runId: number): Promise<AttemptRecord[]> {
    return this.results.attemptsOf(runId);
  }

  /** The testbed of a run; null if it was not saved. */
  async testbedOf(runId: number): Promise<StoredTestbed | null> {
    return (await this.testbeds.of([runId])).get(runId) ?? null;
  }

  /** Runs that a worker has ended between two times, newest first. */
  endedBy(worker: string, from: Date, to: Date, limit: number): Promise<RunRecord[]> {
    return this.database.query(ENDED_BY, [worker, from, to, limit]);
  }
}

const PLACE_BEFORE = `
  r.package = $1 and r.suite = $2 and r.arch = $3 and (r.finished_at, r.run_id) < ($4::timestamptz, $5::bigint)`;
const NEWEST_FIRST = 'order by r.finished_at desc, r.run_id desc';

const TESTS_BEFORE = statement(
  { runId: bigint, tests: jsonb.as<TestResult[]>() },
  `
  select r.run_id as "runId", r.tests from runs r where ${PLACE_BEFORE} and ${countsForStatus('r')}
  ${NEWEST_FIRST} limit $6`,
);

const PASS_BEFORE = selectRecords(`
  where ${PLACE_BEFORE} and r.state = 'finished' and not r.is_private and r.verdict in ('pass', 'neutral')
    and r.pin_packages = $6::jsonb and r.extra_apt_sources = $7::jsonb
  ${NEWEST_FIRST} limit 1`);

/** Also in the form of the index of triggers: the package may have many runs, or the trigger may. */
const SAME_TRIGGER = selectRecords(`
  where r.package = $1 and r.trigger = $2 and ${TRIGGER_WORDS('r')} @> string_to_array($2, ' ')
    and (r.suite <> $3 or r.arch <> $4) and not r.is_private
  order by r.run_id desc limit $5`);

const ENDED_BY = selectRecords(`
  where r.worker = $1 and r.finished_at between $2 and $3 and r.state = 'finished' and not r.is_private
  ${NEWEST_FIRST} limit $4`);
