import { Injectable } from '@nestjs/common';
import type { TestResult } from '@proctor/contracts';
import { Database } from '../kit/database';
import { type AttemptRecord, Results } from './results';
import { type RunRecord, selectRecords } from '../runs/run-columns';
import { TRIGGER_WORDS } from '../runs/run-search';
import { type KeptTestbed, RunTestbeds } from './run-testbeds';
import { bigint, jsonb, statement } from '../kit/statement';
import { countsForStatus } from '../statuses/status-statements';

/** What the page of a run shows about other runs: public ones. */
@Injectable()
export class RunPages {
  private readonly results: Results;
  private readonly testbeds: RunTestbeds;

  constructor(private readonly database: Database) {
    this.results = new Results(database);
    this.testbeds = new RunTestbeds(database);
  }

  /**
   * How the single tests ended in the newest runs before this one, on its place, that count for the package's
   * status.
   * @returns one list for each run, oldest first
   */
  async testsBefore(run: RunRecord, limit: number): Promise<TestResult[][]> {
    const place = [run.package, run.suite, run.arch, run.finishedAt, run.runId];
    const rows = await this.database.query(TESTS_BEFORE, [...place, limit]);
    return rows.map(({ tests }) => tests).reverse();
  }

  /** The newest run before this one that passed on the same place with the same pins and sources; null without one. */
  async passBefore(run: RunRecord): Promise<RunRecord | null> {
    const place = [run.package, run.suite, run.arch, run.finishedAt, run.runId];
    const same = [JSON.stringify(run.pinPackages), JSON.stringify(run.extraAptSources)];
    const [found] = await this.database.query(PASS_BEFORE, [...place, ...same]);
    return found ?? null;
  }

  /** Public runs of the same package for the same trigger on other places, the newest request first. */
  sameTrigger({ package: name, trigger, suite, arch }: RunRecord, limit: number): Promise<RunRecord[]> {
    return this.database.query(SAME_TRIGGER, [name, trigger, suite, arch, limit]);
  }

  /** The attempts of a run, the first first. */
  attemptsOf(runId: number): Promise<AttemptRecord[]> {
    return this.results.attemptsOf(runId);
  }

  /** What a run was executed in; null when that was not kept. */
  async testbedOf(runId: number): Promise<KeptTestbed | null> {
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

/** In the words of the index of triggers, too: a package may have many runs, or the trigger. */
const SAME_TRIGGER = selectRecords(`
  where r.package = $1 and r.trigger = $2 and ${TRIGGER_WORDS('r')} @> string_to_array($2, ' ')
    and (r.suite <> $3 or r.arch <> $4) and not r.is_private
  order by r.run_id desc limit $5`);

const ENDED_BY = selectRecords(`
  where r.worker = $1 and r.finished_at between $2 and $3 and r.state = 'finished' and not r.is_private
  ${NEWEST_FIRST} limit $4`);
