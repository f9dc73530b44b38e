import { Logger } from '@nestjs/common';
import { BrokenOff, type OpenDatabase, openDatabase } from '@proctor/database';
import { linkTo } from '@test/support/cuttable-link';
import { ARCH } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';

const COUNT = 100_000;
/** A change has a hundred steps, and takes about twenty seconds. An owner has more than two seconds for a renewal and a turn. */
const RUNS_PER_TURN_MAX = COUNT / 10;

let fixture: Fixture;

beforeAll(async () => {
  Logger.overrideLogger(false);
  fixture = await setUp();
});
afterAll(async () => {
  await fixture.close();
  Logger.overrideLogger(['error', 'warn', 'log']);
});
beforeEach(() => fixture.client.query('truncate runs, attempts, orders, facts'));

const by = () => ({ userId: fixture.submitter.userId, userName: 'ada' });

/** Waiting runs of the package `many` and the trigger `glibc/2.41`, without their facts. */
async function insertMany(count: number): Promise<void> {
  await fixture.client.query(
    `insert into runs (package, suite, arch, backend, variant, priority, trigger, pin_packages, extra_apt_sources,
       is_private, requestor_id, api_key_id, created_at, updated_at)
     select 'many', 'bookworm', $4, 'unshare', 'autopkgtest', 5, 'glibc/2.41', '[]', '[]', false, $1, $2, now(), now()
     from generate_series(1, $3::integer)`,
    [fixture.submitter.userId, fixture.submitter.keyId, count, ARCH],
  );
}

const countOf = async (condition: string): Promise<number> =>
  (await fixture.client.query<{ count: number }>(`select count(*)::integer from runs where ${condition}`))
    .rows[0]!.count;

/** Whether a statement in this database waits for a row that another transaction holds. */
const waitsForLock = async (): Promise<boolean> =>
  (
    await fixture.client.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  ).rows.length > 0;

/** How many runs have been changed, committed or not. */
const countChanges = async (): Promise<number> =>
  (
    await fixture.client.query<{ count: number }>(
      `select last_value::integer as count from pg_sequences where sequencename = 'orders_order_id_seq'`,
    )
  ).rows[0]!.count;

/** Renews an ownership and commits a turn again and again while the work is done. @throws when one takes too long */
async function expectTurnsDuring(work: Promise<unknown>): Promise<void> {
  let isOver = false;
  const end = work.finally(() => (isOver = true));
  let mostRuns = 0;
  while (!isOver) {
    const before = await countChanges();
    const ownership = await fixture.database.ownershipRegister.claim(ARCH, 'scheduler-1', 60_000);
    await fixture.database.journal.commit(ARCH, ownership!.epoch, []);
    const [order] = await fixture.database.journal.orders(ARCH, 1);
    if (order) {
      const write = { kind: 'ingest-order' as const, orderId: order.orderId };
      await fixture.database.journal.commit(ARCH, ownership!.epoch, [write]);
    }
    mostRuns = Math.max(mostRuns, (await countChanges()) - before);
  }
  await end;
  expect(mostRuns).toBeLessThan(RUNS_PER_TURN_MAX);
}

it('a change of many runs gives a hundred thousand runs another priority, then ends them, and holds up no dispatcher', async () => {
  await insertMany(COUNT);
  const selection = { trigger: 'glibc/2.41', keyId: fixture.submitter.keyId };
  const change = fixture.database.decisions.reprioritise(selection, 9, by());
  await expectTurnsDuring(change);
  expect(new Set(await change).size).toBe(COUNT);
  expect(await countOf('priority = 9')).toBe(COUNT);
  const cancelled = fixture.database.cancellations.cancelMatching({ package: 'many' }, by(), 'all');
  await expectTurnsDuring(cancelled);
  expect(await cancelled).toEqual(await change);
  expect(await countOf(`state = 'finished' and cancelled`)).toBe(COUNT);
  const { rows } = await fixture.client.query(
    'select kind, count(*)::integer from orders group by 1 order by 1',
  );
  expect(rows).toEqual([
    { kind: 'cancel', count: COUNT },
    { kind: 'reprioritise', count: COUNT },
  ]);
});

describe('a lost connection', () => {
  let database: OpenDatabase;
  afterEach(() => database.close());

  it('a change of many runs that breaks off says what is done, and the same again does the rest', async () => {
    await insertMany(10);
    const link = await linkTo(fixture.url);
    database = await openDatabase(link.url, { rowsPerTransactionMax: 3 });
    const { rows } = await fixture.client.query<{ run_id: number }>(
      'select run_id from runs order by run_id',
    );
    const runIds = rows.map((row) => Number(row.run_id));
    // The third step waits for its second row, and is lost.
    const blocked = runIds[7]!;
    await fixture.client.query('begin');
    await fixture.client.query('select from runs where run_id = $1 for update', [blocked]);
    const cancelled = database.cancellations
      .cancelMatching({ package: 'many' }, by())
      .catch((error: unknown) => error);
    const watch = await openDatabase(fixture.url);
    // The second step is answered by then: cut before that, its commit would be unknown.
    while (!(await waitsForLock()));
    await link.cut();
    const error = await cancelled;
    expect(error).toBeInstanceOf(BrokenOff);
    expect(error).toMatchObject({ changedIds: runIds.slice(0, 6), extent: 'nothing' });
    await fixture.client.query('rollback');
    expect(await watch.cancellations.cancelMatching({ package: 'many' }, by())).toEqual(runIds.slice(6));
    await watch.close();
  });
});
