import { KNOWN_WORKER } from '@libs/database/src/dispatch/decision-statements';
import { UNPUBLISHED } from '@libs/database/src/runs/facts';
import { GRANTED, LINES, NEXT_OF_LINE } from '@libs/database/src/dispatch/line-statements';
import { COUNT, LISTS } from '@libs/database/src/reading/error-signatures';
import { ARRIVALS } from '@libs/database/src/dispatch/loading-statements';
import { ORDERS } from '@libs/database/src/dispatch/orders';
import type { Statement } from '@libs/database/src/kit/statement';
import { SAME_ERROR } from '@libs/database/src/reading/triage-runs';
import { OF_PACKAGE, OF_TRIGGER, TRIGGERS } from '@libs/database/src/reading/trigger-statements';
import { SUITES_OF } from '@libs/database/src/reading/public-statements';
import { NEXT_PAGE } from '@libs/database/src/reading/result-texts';
import { ATTEMPTS, COMPARISON } from '@libs/database/src/reading/worker-pages';
import { generateFinishedRuns } from '@test/generator/finished-runs';
import { packageNames } from '@test/generator/packages';
import { ARCH } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';
import { MODES, type PlanNode, scans } from './plan';

const OTHER = 'riscv64';
const MANY = 10_000;
const LIMIT = 1_000;

let fixture: Fixture;

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());

/** Rows of a table that wait for a dispatcher, and the one index that holds no others. */
interface Queue {
  statement: Statement<unknown>;
  table: string;
  index: string;
  /** Inserts $4 rows of the architecture $3; $1 and $2 are a user and a key. */
  insert: string;
  /** The parameters of the statement beside the architecture and a limit. */
  more?: string;
  /** As in the transaction that the statement is part of. */
  isSortingAvoided?: boolean;
  /** Deals with all rows. */
  dealWith: string;
}

const RUNS = `
  insert into runs (package, suite, arch, backend, variant, priority, pin_packages, extra_apt_sources, is_private,
    requestor_id, api_key_id, created_at, updated_at)
  select 'many', 'bookworm', $3, 'unshare', 'autopkgtest', 5, '[]', '[]', false, $1::integer, $2::integer, now(), now()
  from generate_series(1, $4::integer)`;

const QUEUES: Record<string, Queue> = {
  orders: {
    statement: ORDERS,
    table: 'orders',
    index: 'orders_waiting',
    insert: `
      insert into orders (arch, kind, actor_id, created_at)
      select $3, 'pause', $1::integer, now() from generate_series(1, $4::integer) where $2::integer is not null`,
    dealWith: 'update orders set taken_in = true',
  },
  facts: {
    statement: UNPUBLISHED,
    table: 'facts',
    index: 'facts_unpublished',
    insert: `
      insert into facts (run_id, arch, suite, kind, state, attempt, actor, at)
      select n, $3, 'bookworm', 'requested', 'queued', 0, 'user ada', now()
      from generate_series(1, $4::integer) n where $1::integer + $2::integer is not null`,
    dealWith: 'update facts set published = true',
  },
  arrivals: {
    statement: ARRIVALS,
    table: 'runs',
    index: 'runs_arrived',
    more: `, '3:3:', 0, 0`,
    insert: RUNS,
    dealWith: `update runs set state = 'leased', attempt = 1, taken_in = true, worker = 'w1'`,
  },
  lines: {
    statement: LINES,
    more: `, 200, '', '', '', false, 0, 0`,
    isSortingAvoided: true,
    table: 'runs',
    index: 'runs_lines',
    insert: RUNS,
    dealWith: `update runs set state = 'leased', attempt = 1, taken_in = true, worker = 'w1'`,
  },
  'the rest of a line': {
    statement: NEXT_OF_LINE,
    table: 'runs',
    index: 'runs_lines',
    more: `, 'bookworm', 'unshare', 'autopkgtest', false, 5, 'ada', 0, 0`,
    insert: RUNS,
    dealWith: `update runs set state = 'leased', attempt = 1, taken_in = true, worker = 'w1'`,
  },
  'runs that were granted': {
    statement: GRANTED,
    table: 'runs',
    index: 'runs_granted',
    insert: `
      insert into runs (package, suite, arch, backend, variant, priority, pin_packages, extra_apt_sources, is_private,
        requestor_id, api_key_id, created_at, updated_at, attempt)
      select 'many', 'bookworm', $3, 'unshare', 'autopkgtest', 5, '[]', '[]', false, $1::integer, $2::integer, now(), now(), 1
      from generate_series(1, $4::integer)`,
    dealWith: `update runs set state = 'finished', taken_in = true, verdict = 'tmpfail', message = '', version = 'n/a',
      finished_at = now()`,
  },
};

/** Empties the table and forgets what the planner knew of it. */
async function empty(table: string): Promise<void> {
  await fixture.client.query(`truncate ${table} cascade`);
  await fixture.client.query(`delete from pg_statistic where starelid = '${table}'::regclass`);
  await fixture.client.query(`
    update pg_class set reltuples = -1, relpages = 0
    where oid = '${table}'::regclass
      or oid in (select indexrelid from pg_index where indrelid = '${table}'::regclass)`);
}

/** What came before, in order: rows of an architecture, statistics, or the end of all that waits. */
type Step = [arch: string, count: number] | 'analyze' | 'deal with all';

const HISTORIES: Record<string, Step[]> = {
  'without statistics, many waiting': [[OTHER, MANY], 'deal with all', [ARCH, MANY]],
  'with statistics of when none waited': [[OTHER, MANY], 'deal with all', 'analyze', [ARCH, 10]],
  'with statistics of when all of others waited': [[OTHER, MANY], 'analyze', 'deal with all', [ARCH, 10]],
  'with statistics of when all waited': [[OTHER, MANY], [ARCH, MANY], 'analyze', 'deal with all', [ARCH, 10]],
  'with statistics of many that wait still': [[ARCH, MANY], 'analyze'],
};

async function make({ table, insert, dealWith }: Queue, history: Step[]): Promise<void> {
  const { userId, keyId } = fixture.submitter;
  await empty(table);
  for (const step of history) {
    if (step === 'analyze') await fixture.client.query(`analyze ${table}`);
    else if (step === 'deal with all') await fixture.client.query(dealWith);
    else await fixture.client.query(insert, [userId, keyId, ...step]);
  }
}

describe.each(Object.entries(QUEUES))('waiting %s', (_name, queue) => {
  it.each(Object.entries(HISTORIES))(
    'what waits is read by its own index, in order, %s',
    async (_history, history) => {
      await make(queue, history);
      const { statement, table, index, more = '', isSortingAvoided = false } = queue;
      for (const setting of ['enable_sort', 'enable_incremental_sort'])
        await fixture.client.query(`set ${setting} = ${isSortingAvoided ? 'off' : 'on'}`);
      for (const mode of MODES) {
        const scanNames = await scans(fixture.client, statement, `'${ARCH}', ${LIMIT}${more}`, table, mode);
        const only = [...new Set(scanNames.map((scan) => scan.replace('Only ', '')))];
        expect([mode, only]).toEqual([mode, [`Index Scan: ${index}`]]);
      }
    },
  );
});

it('whether a worker is known is found without reading all attempts', async () => {
  await make(QUEUES.arrivals!, [[ARCH, MANY]]);
  await fixture.client.query(`
    insert into attempts (run_id, attempt, worker, incarnation, slot, epoch, granted_at, ended_at, outcome)
    select run_id, 1, 'w1', 'i', 0, 1, now(), now(), 'returned' from runs`);
  await fixture.client.query('analyze attempts');
  for (const mode of MODES)
    expect(await scans(fixture.client, KNOWN_WORKER, `'w2'`, 'attempts', mode)).toEqual([
      'Index Scan: attempts_pkey',
    ]);
});

it.each(MODES)('arrivals are found without a look at the runs that were seen, by a %s plan', async (mode) => {
  await make(QUEUES.arrivals!, [[ARCH, MANY]]);
  const { rows: created } = await fixture.client.query<{ last: number }>(
    'select max(created_in) as last from runs',
  );
  const after = created[0]!.last + 1;
  await fixture.client.query(RUNS, [fixture.submitter.userId, fixture.submitter.keyId, ARCH, 3]);
  await fixture.client.query(`set plan_cache_mode = force_${mode}_plan`);
  await fixture.client.query(`prepare looked_at as ${ARRIVALS.text}`);
  const { rows } = await fixture.client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, buffers, format json) execute looked_at ('${ARCH}', ${LIMIT}, '${after}:${after}:', 0, 0)`,
  );
  await fixture.client.query('deallocate looked_at');
  const among = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(among)];
  const [scan] = among(rows[0]!['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] === 'runs');
  expect(scan).toMatchObject({ 'Index Name': 'runs_arrived', 'Actual Rows': 3 });
  expect(scan!['Shared Hit Blocks']! + scan!['Shared Read Blocks']!).toBeLessThan(10);
});

it('the latest run of a package on each suite and architecture is found without its other runs, and those of others', async () => {
  await generateFinishedRuns(fixture.client, {
    ...{ runs: 40_000, seed: 1, suites: ['sid', 'trixie'], architectures: ['amd64', 'arm64'], packages: 100 },
    ...{ until: new Date(), days: 10, isBare: true },
  });
  for (const mode of MODES) {
    await fixture.client.query(`set plan_cache_mode = force_${mode}_plan`);
    await fixture.client.query(`prepare looked_at as ${SUITES_OF.text}`);
    const { rows } = await fixture.client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, buffers, format json) execute looked_at ('${packageNames(1)[0]}')`,
    );
    await fixture.client.query('deallocate looked_at');
    const { Plan } = rows[0]!['QUERY PLAN'][0];
    expect([mode, Plan['Actual Rows']]).toEqual([mode, 4]);
    // Ten probes of an index with its row each; all entries of an index would be a thousand blocks.
    expect(Plan['Shared Hit Blocks']! + Plan['Shared Read Blocks']!).toBeLessThan(100);
  }
});

it('a page of results is read by its own index, and not planned again after five pages', async () => {
  const owners = [fixture.submitter];
  await generateFinishedRuns(fixture.client, {
    ...{ runs: 20_000, seed: 1, suites: ['sid'], architectures: ['amd64'], packages: 100, owners },
    ...{ until: new Date(), days: 10, isBare: true },
  });
  await fixture.client.query('analyze runs');
  const parameters = `${fixture.submitter.keyId}, 'pass', now(), '2020-01-01', 0`;
  for (const mode of MODES)
    expect(await scans(fixture.client, NEXT_PAGE, parameters, 'runs', mode)).toEqual([
      'Index Scan: runs_results',
    ]);
  await fixture.client.query('set plan_cache_mode = auto');
  await fixture.client.query(`prepare looked_at as ${NEXT_PAGE.text}`);
  for (let page = 0; page < 7; page += 1) await fixture.client.query(`execute looked_at (${parameters})`);
  const { rows } = await fixture.client.query(
    `select custom_plans::integer, generic_plans::integer from pg_prepared_statements where name = 'looked_at'`,
  );
  await fixture.client.query('deallocate looked_at');
  expect(rows).toEqual([{ custom_plans: 5, generic_plans: 2 }]);
});

it('the attempts of a worker and the newest errors are read by indexes of their own', async () => {
  await generateFinishedRuns(fixture.client, {
    ...{ runs: 20_000, seed: 1, suites: ['sid'], architectures: ['amd64'], packages: 2_000 },
    ...{ until: new Date(), days: 10 },
  });
  await fixture.client.query('vacuum analyze runs, attempts');
  const attempts = `'{worker1,worker2}', 30, false`;
  expect(await scans(fixture.client, ATTEMPTS, attempts, 'attempts', 'custom')).toEqual([
    'Index Scan: attempts_of_workers',
  ]);
  const compared = await scans(fixture.client, COMPARISON, `'worker1', 100`, 'attempts', 'custom');
  expect(compared.sort()).toEqual(['Index Scan: attempts_of_workers', 'Index Scan: attempts_pkey']);
  const listed = await scans(fixture.client, LISTS.seen, 'null, null, null, 100, 0', 'runs', 'custom');
  expect(listed).toContain('Index Only Scan: runs_newest_errors');
  expect(listed).toContain('Index Only Scan: runs_alike');
  expect(listed.filter((scan) => scan.startsWith('Seq'))).toEqual([]);
  expect(await scans(fixture.client, COUNT, 'null, null, null, 500', 'runs', 'custom')).toEqual([
    'Index Only Scan: runs_newest_errors',
  ]);
  for (const mode of MODES)
    expect(await scans(fixture.client, SAME_ERROR, `'0123456789abcdef', 'hello', 5`, 'runs', mode)).toEqual([
      'Index Only Scan: runs_alike',
    ]);
});

it.each(MODES)('triggers are found and counted by their words, by a %s plan', async (mode) => {
  await generateFinishedRuns(fixture.client, {
    ...{ runs: 5_000, seed: 1, suites: ['sid'], architectures: ['amd64'], packages: 100 },
    ...{ until: new Date(), days: 10, isBare: true },
  });
  await fixture.client.query('analyze runs');
  const scanNames = await scans(fixture.client, TRIGGERS, `50, 1000000, ''`, 'runs', mode);
  expect(scanNames.filter((scan) => scan.startsWith('Bitmap Heap Scan'))).toHaveLength(2);
  await fixture.client.query('vacuum runs');
  const ofPackage = await scans(fixture.client, OF_PACKAGE, `50, 1000000, 'glibc/', 'glibc0'`, 'runs', mode);
  expect(ofPackage.filter((scan) => scan.includes('runs_first_words'))).toHaveLength(2);
  expect(ofPackage.filter((scan) => scan.startsWith('Seq'))).toEqual([]);
  const ofTrigger = `'glibc/2.40-1', 100000, false, null, null`;
  const whole = await scans(fixture.client, OF_TRIGGER, ofTrigger, 'runs', mode);
  expect(whole.sort()).toEqual(['Bitmap Heap Scan: undefined', 'Index Only Scan: runs_references']);
});
