import { gzipSync } from 'node:zlib';
import { Client } from 'pg';
import { generateFinishedRuns, keepStatuses } from '@test/generator/finished-runs';
import { packageNames } from '@test/generator/packages';
import { HttpClient } from '../client';
import { Deployment } from '../deployment';
import { percentile } from '../judging';
import type { Place } from '../place';
import type { Figure, Numbers, Row } from '../row';

const SUITES = ['sid', 'trixie'];
const ARCHITECTURES = ['amd64', 'arm64', 'i386', 'riscv64'];
/** The trigger of the newest runs, 25,000 of them. */
const LARGE_TRIGGER = 'bench/1';
const LARGE_RUNS = 25_000;
/** Requests of each page in each round. */
const REQUESTS = 15;
const QUICK_REQUESTS = 2;

/** A public run that failed, and what its pages are made of. */
interface FailedRun {
  runId: string;
  package: string;
  suite: string;
  arch: string;
  trigger: string;
  signature: string;
  passedRunId: string;
}

/** Every page that is read without a login, and what a key asks of all runs. */
const PAGES: Record<string, (run: FailedRun) => string> = {
  'first page': () => '/',
  prefixes: () => '/packages/',
  prefix: (run) => `/packages/${run.package[0]}/`,
  package: (run) => packagePath(run),
  history: (run) => `${packagePath(run)}${run.suite}/${run.arch}/`,
  'history of failures': (run) => `${packagePath(run)}${run.suite}/${run.arch}/?status=fail`,
  run: (run) => `${packagePath(run)}${run.suite}/${run.arch}/${run.runId}/`,
  comparison: (run) => `/compare/${run.passedRunId}...${run.runId}`,
  search: (run) => `/packages/-/search?query=${run.package.slice(1, 3)}`,
  suggestions: (run) => `/packages/-/suggest?query=${run.package.slice(0, 2)}`,
  triggers: () => '/triggers/',
  trigger: (run) => `/triggers/${run.trigger}`,
  'large trigger': () => `/triggers/${LARGE_TRIGGER}`,
  status: () => '/status/',
  failing: () => '/status/failing/',
  'failing of a suite': (run) => `/status/failing/?suite=${run.suite}&arch=${run.arch}`,
  flaky: () => '/status/flaky/',
  slow: () => '/status/slow/',
  alerts: () => '/status/alerts/',
  changes: () => '/status/changes/',
  'platform-specific issues': () => '/status/platform-specific-issues/',
  mismatches: () => '/status/mismatches/',
  pending: () => '/status/pending/',
  statistics: () => '/status/statistics/?days=365',
  queues: () => '/status/queue/',
  workers: () => '/status/workers/',
  errors: () => '/status/errors/',
  'newest errors': () => '/status/new-errors/',
  error: (run) => `/status/errors/${run.signature}`,
  'status of a place': (run) => `/status/${run.suite}/${run.arch}/`,
  'runs by a pattern': (run) => `/api/v1/runs?package=*${run.package.slice(1, 4)}*`,
  'runs by a pattern of none': () => '/api/v1/runs?package=*no-such-package*',
};

const figures: Figure[] = [
  ...Object.keys(PAGES).map((title): Figure => ({
    what: `${title}, median`,
    unit: 'ms',
    of: title,
    mark: { atMost: 100 },
  })),
  { what: 'all, 99th percentile', unit: 'ms', of: 'p99', mark: { atMost: 300 } },
  { what: 'heaviest, compressed', unit: 'kB', of: 'heaviest', mark: { atMost: 60 } },
];

export const everyPageRow: Row = {
  name: 'every-page',
  what: 'every page of 5,000,000 finished runs of 40,000 packages',
  against: null,
  figures,
  rounds: 3,
  isLarge: true,
  async open(place) {
    const pages = await Pages.open(place);
    return { measured: () => pages.timed(), close: () => pages.close() };
  },
};

function packagePath({ package: name }: FailedRun): string {
  const prefix = /^lib./.test(name) ? name.slice(0, 4) : name[0];
  return `/packages/${prefix}/${name}/`;
}

class Pages {
  private turn = 0;

  private constructor(
    private readonly deployment: Deployment,
    private readonly client: HttpClient,
    private readonly runs: FailedRun[],
    private readonly requests: number,
  ) {}

  static async open(place: Place): Promise<Pages> {
    const [runs, packages] = [place.size(5_000_000, 2_000), place.size(40_000, 100)];
    const failures: FailedRun[] = [];
    const deployment = await Deployment.start(place, {
      architectures: ARCHITECTURES,
      server: { suites: SUITES },
      // Nothing is remembered.
      api: { publicAgeMaxMs: 0 },
      fill: async (databaseUrl) => {
        const database = new Client({ connectionString: databaseUrl });
        await database.connect();
        await generateFinishedRuns(database, {
          ...{ runs, seed: 1, suites: SUITES, architectures: ARCHITECTURES, packages, isBare: true },
          ...{ until: new Date(), days: Math.max(1, runs / 34_000) },
        });
        await database.query(
          `update runs set trigger = $1 where run_id > (select max(run_id) from runs) - $2::integer
           and trigger is distinct from 'migration-reference/0'`,
          [LARGE_TRIGGER, place.size(LARGE_RUNS, 50)],
        );
        await keepStatuses(databaseUrl, ARCHITECTURES);
        await database.query('vacuum analyze');
        for (const name of packageNames(packages))
          if (failures.length < 40) failures.push(...(await failedRun(database, name)));
        await database.end();
      },
    });
    return new Pages(
      deployment,
      new HttpClient(deployment.url, { 'Auth-Key': deployment.key }),
      failures,
      place.size(REQUESTS, QUICK_REQUESTS),
    );
  }

  async timed(): Promise<Numbers> {
    const numbers: Numbers = { heaviest: 0 };
    const all: number[] = [];
    for (const [title, pathOf] of Object.entries(PAGES)) {
      const times: number[] = [];
      for (let index = 0; index < this.requests; index += 1) {
        const run = this.runs[this.turn++ % this.runs.length]!;
        const { totalMs, text } = await this.client.mustGet(pathOf(run));
        times.push(totalMs);
        numbers['heaviest'] = Math.max(numbers['heaviest']!, gzipSync(text).length / 1000);
      }
      numbers[title] = percentile(times, 0.5);
      all.push(...times);
    }
    return { ...numbers, p99: percentile(all, 0.99) };
  }

  async close(): Promise<void> {
    this.client.close();
    await this.deployment.stop();
  }
}

/** The newest public failure of a package with a trigger, if it passed before. */
async function failedRun(database: Client, name: string): Promise<FailedRun[]> {
  const { rows } = await database.query<FailedRun>(
    `select r.run_id as "runId", r.package, r.suite, r.arch, r.trigger, r.error_signature as signature,
       p.run_id as "passedRunId"
     from runs r join runs p using (package, suite, arch)
     where r.package = $1 and r.verdict = 'fail' and not r.is_private and r.trigger like '%/%' and r.trigger <> 'migration-reference/0' and not r.cancelled
       and p.verdict = 'pass' and not p.is_private and p.finished_at < r.finished_at
     order by r.finished_at desc, p.finished_at desc limit 1`,
    [name],
  );
  return rows;
}
