import { migrate } from '@proctor/database';
import { MIGRATIONS } from '@libs/database/src/schema/migrations';
import { SchedulerDecisions1764400000000 } from '@libs/database/src/schema/migrations/scheduler-decisions';
import { connectTo, createEmptyDatabase, type TestDatabase } from '@test/support/database';
import { takeBack, withMigrations } from './migrations';

/** The migration that these tests are about. */
const PLACE = MIGRATIONS.indexOf(SchedulerDecisions1764400000000);
const [EARLIER, SINCE] = [MIGRATIONS.slice(0, PLACE), MIGRATIONS.slice(PLACE)];

let empty: TestDatabase;

beforeEach(async () => {
  empty = await createEmptyDatabase();
});
afterEach(() => empty.drop());

const ROWS = `
  insert into users (name, is_admin) values ('ada', false), ('bob', true);
  insert into api_keys (user_id, name, prefix, key_hash) values (1, 'k', 'p', 'h');
  insert into runs (package, suite, arch, backend, variant, priority, pin_packages, extra_apt_sources, is_private,
    requestor_id, api_key_id, state, verdict, cancelled, attempt, taken_in, version, message, worker, retried_by,
    retry_of, created_at, updated_at, finished_at)
  values
    ('a', 'sid', 'amd64', 'b', 'v', 5, '[]', '[]', false, 1, 1, 'finished', 'pass', false, 2, true, '1', 'fine', 'w2',
      null, null, '2026-01-01', '2026-01-01', '2026-01-01 02:00'),
    ('a', 'sid', 'amd64', 'b', 'v', 5, '[]', '[]', false, 1, 1, 'finished', 'tmpfail', true, 0, true, 'n/a',
      'cancelled by bob: why', null, 2, 1, '2026-01-02', '2026-01-02', '2026-01-02 01:00'),
    ('a', 'sid', 'amd64', 'b', 'v', 5, '[]', '[]', false, 1, 1, 'queued', null, false, 0, false, null, null, null,
      null, null, '2026-01-03', '2026-01-03', null);
  insert into attempts (run_id, attempt, worker, incarnation, slot, epoch, granted_at, started_at, ended_at, outcome,
    reason)
  values
    (1, 1, 'w1', 'i', 3, 1, '2026-01-01 00:10', null, '2026-01-01 00:20', 'expired', 'the lease expired'),
    (1, 2, 'w2', 'i', 0, 1, '2026-01-01 01:00', '2026-01-01 00:59', '2026-01-01 02:00', 'finished', null);
  insert into orders (arch, kind, run_id, actor_id, reason, created_at)
  values ('amd64', 'cancel', 2, 2, 'why', '2026-01-02 01:00')`;

it('earlier rows get the facts that are known of them, none of them an event', async () => {
  await withMigrations(empty.url, EARLIER, (source) => source.runMigrations());
  const client = await connectTo(empty.url);
  await client.query(ROWS);
  await migrate(empty.url);
  const { rows } = await client.query<Record<string, unknown>>(
    `select run_id, kind, state, attempt, actor, reason, verdict from facts where published order by run_id, fact_id`,
  );
  const { rows: events } = await client.query('select from facts where not published');
  const { rows: attempts } = await client.query('select verdict from attempts order by attempt');
  await client.end();
  expect(events).toEqual([]);
  expect(attempts).toEqual([{ verdict: null }, { verdict: 'pass' }]);
  expect(rows.map((row) => Object.values(row))).toEqual([
    [1, 'requested', 'queued', 0, 'user ada', null, null],
    [1, 'granted', 'leased', 1, 'scheduler', 'to slot 3 of w1', null],
    [1, 'requeued', 'queued', 1, 'scheduler', 'the lease expired', null],
    [1, 'granted', 'leased', 2, 'scheduler', 'to slot 0 of w2', null],
    [1, 'started', 'running', 2, 'worker w2', null, null],
    [1, 'finished', 'finished', 2, 'worker w2', 'fine', 'pass'],
    [2, 'requested', 'queued', 0, 'user bob', 'repeats run 1', null],
    [2, 'cancelled', 'finished', 0, 'user bob', 'why', 'tmpfail'],
    [3, 'requested', 'queued', 0, 'user ada', null, null],
  ]);
});

it('earlier rows survive that the migration is taken back and made again', async () => {
  await migrate(empty.url);
  const client = await connectTo(empty.url);
  await client.query(ROWS);
  await client.query(`update attempts set outcome = 'failed' where attempt = 1`);
  await client.query(
    `insert into orders (arch, kind, worker, actor_id, created_at) values ('amd64', 'drain', 'w1', 2, now())`,
  );
  await takeBack(empty.url, SINCE.length);
  const { rows } = await client.query(`select outcome from attempts where attempt = 1`);
  expect(rows).toEqual([{ outcome: 'lost' }]);
  expect(await migrate(empty.url)).toEqual(SINCE.map(({ name }) => name));
  const facts = await client.query('select from facts');
  await client.end();
  expect(facts.rowCount).toBe(9);
});
