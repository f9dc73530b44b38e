import type { Write } from '@proctor/dispatch';
import { ARCH, request } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';

const RUNS = 20_000;
const ORDERS_PER_TURN = 1_000;
/** The product's own limit of a turn. */
const TURN_TIMEOUT_MS = 2_000;
/** A turn that is given up is done again: the machine may have had something else to do. */
const TRIES = 5;

let fixture: Fixture;

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());

/** The planner knows many orders, all taken, and none of this architecture: the next ones are all new to it. */
async function misleadingStatistics(): Promise<void> {
  await fixture.client.query(
    `insert into orders (arch, kind, actor_id, created_at, taken_in)
     select 'riscv64', 'pause', $1, now(), true from generate_series(1, 200000)`,
    [fixture.submitter.userId],
  );
  await fixture.client.query('analyze orders');
}

async function commit(epoch: number, writes: Write[], tries = TRIES): Promise<unknown> {
  try {
    return await fixture.database.journal.commit(ARCH, epoch, writes, TURN_TIMEOUT_MS);
  } catch (error) {
    if (tries === 1) throw error;
    return commit(epoch, writes, tries - 1);
  }
}

it('many orders are ingested within the limit of a turn, whatever the statistics say', async () => {
  const { submissions, cancellations, journal, ownershipRegister } = fixture.database;
  const runIds = await submissions.submit(
    Array.from({ length: RUNS }, () => request()),
    fixture.submitter,
  );
  await misleadingStatistics();
  const ada = { userId: fixture.submitter.userId, userName: 'ada' };
  for (let place = 0; place < RUNS; place += ORDERS_PER_TURN)
    await cancellations.cancelMatching({ runIds: runIds.slice(place, place + ORDERS_PER_TURN) }, ada);
  const { epoch } = (await ownershipRegister.claim(ARCH, 'scheduler-1', 60_000))!;
  const cancelledIds: number[] = [];
  for (;;) {
    const orders = await journal.orders(ARCH, ORDERS_PER_TURN);
    if (orders.length === 0) break;
    cancelledIds.push(...orders.flatMap((order) => (order.kind === 'cancel' ? [order.runId] : [])));
    const writes = orders.map(({ orderId }): Write => ({ kind: 'ingest-order', orderId }));
    expect(await commit(epoch, writes)).toEqual([]);
  }
  expect(cancelledIds).toEqual(runIds);
});
