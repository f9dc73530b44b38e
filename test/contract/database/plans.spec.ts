import { KNOWN_WORKER } from '../../../libs/database/src/decision-statements';
import { UNPUBLISHED } from '../../../libs/database/src/facts';
import { ARRIVALS, FIRST_PAGE } from '../../../libs/database/src/loading-statements';
import { ORDERS } from '../../../libs/database/src/orders';
import type { Statement } from '../../../libs/database/src/statement';
import { SUITES_OF } from '../../../libs/database/src/public-statements';
import { generateFinishedRuns } from '../../generator/finished-runs';
import { packageNames } from '../../generator/packages';
import { ARCH } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';

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
  /** What the statement is told beside the architecture and a limit. */
  more?: string;
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
  'unfinished runs': {
    statement: FIRST_PAGE,
    table: 'runs',
    index: 'runs_unfinished',
    insert: RUNS,
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

/** How PostgreSQL plans a statement: for its parameters, or for any. */
const MODES = ['custom', 'generic'] as const;

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  'Actual Rows'?: number;
  Plans?: PlanNode[];
}

/** How the statement reads the table. */
async function scans(
  { text }: Statement<unknown>,
  parameters: string,
  table: string,
  mode: string,
): Promise<string[]> {
  await fixture.client.query(`set plan_cache_mode = force_${mode}_plan`);
  await fixture.client.query(`prepare looked_at as ${text}`);
  const { rows } = await fixture.client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (format json) execute looked_at (${parameters})`,
  );
  await fixture.client.query('deallocate looked_at');
  const among = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(among)];
  return among(rows[0]!['QUERY PLAN'][0].Plan)
    .filter((node) => node['Relation Name'] === table)
    .map((node) => `${node['Node Type']}: ${node['Index Name']}`);
}

describe.each(Object.entries(QUEUES))('waiting %s', (_name, queue) => {
  it.each(Object.entries(HISTORIES))(
    'what waits is read by its own index, in order, %s',
    async (_history, history) => {
      await make(queue, history);
      const { statement, table, index, more = '' } = queue;
      for (const mode of MODES) {
        const found = await scans(statement, `'${ARCH}', ${LIMIT}${more}`, table, mode);
        expect([mode, found]).toEqual([mode, [`Index Scan: ${index}`]]);
      }
    },
  );
});

it('whether a worker is known is told without a look at all attempts', async () => {
  await make(QUEUES.arrivals!, [[ARCH, MANY]]);
  await fixture.client.query(`
    insert into attempts (run_id, attempt, worker, incarnation, slot, epoch, granted_at, ended_at, outcome)
    select run_id, 1, 'w1', 'i', 0, 1, now(), now(), 'returned' from runs`);
  await fixture.client.query('analyze attempts');
  for (const mode of MODES)
    expect(await scans(KNOWN_WORKER, `'w2'`, 'attempts', mode)).toEqual(['Index Scan: attempts_pkey']);
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
