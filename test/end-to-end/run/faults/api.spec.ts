import { randomUUID } from 'node:crypto';
import { accountsOf } from '@test/support/accounts';
import { connectTo } from '@test/support/database';
import { silenceLog } from '@test/support/silent-log';
import { STUB_SUITE } from '@test/support/stub';
import { until } from '@test/support/until';
import { arch, Stage } from './stage';

silenceLog();

const ITEMS = 5_000;
/** Key of an advisory lock that nothing else takes. */
const LOCK = '4711, 1';

type Connection = Awaited<ReturnType<typeof connectTo>>;

let stage: Stage;

beforeEach(async () => {
  stage = await Stage.open({ apps: ['api', 'scheduler'] });
});
afterEach(() => stage?.close());

/** Posts a list until it is answered, as a client does that knows its request by a key. @returns ids, and how often it asked */
async function insistently(name: string): Promise<{ runIds: number[]; tries: number }> {
  const body = new URLSearchParams({ tests: JSON.stringify(stage.items(ITEMS, name)) });
  const headers = { 'Idempotency-Key': randomUUID() };
  let runIds: number[] | null = null;
  let tries = 0;
  const isAnswered = async (): Promise<boolean> => {
    tries++;
    const response = await stage.client
      .fetch(`/api/v1/test/${STUB_SUITE}/${arch}`, { method: 'POST', body, headers })
      .catch(() => null);
    if (response?.status !== 201) return false;
    const answer = await response.json().catch(() => null);
    runIds = (answer as { runs: { run_id: number }[] } | null)?.runs.map((run) => run.run_id) ?? null;
    return runIds !== null;
  };
  if (!(await until(isAnswered)) || runIds === null) throw new Error(`${name} was never answered`);
  return { runIds, tries };
}

async function countRuns(): Promise<number> {
  const database = await connectTo(stage.proctor.databaseUrl);
  try {
    const { rows } = await database.query<{ count: number }>('select count(*)::int as count from runs');
    return rows[0]?.count ?? 0;
  } finally {
    await database.end();
  }
}

/** The insertion of the last item of this list waits until the lock is released. */
async function hold(database: Connection, name: string): Promise<void> {
  await database.query(`select pg_advisory_lock(${LOCK})`);
  await database.query(`create function wait_for_test() returns trigger language plpgsql as
    'begin perform pg_advisory_xact_lock(${LOCK}); return new; end'`);
  await database.query(`create trigger wait_for_test before insert on runs for each row
    when (new.package = '${name}${ITEMS - 1}') execute function wait_for_test()`);
}

async function isHeld(database: Connection): Promise<boolean> {
  const { rowCount } = await database.query(
    "select from pg_locks where locktype = 'advisory' and not granted",
  );
  return rowCount === 1;
}

it('a list of 5,000 runs whose api is killed before the last is inserted exists once, whole, when it is sent again', async () => {
  const { proctor, client } = stage;
  const whole = await insistently('whole');
  const database = await connectTo(proctor.databaseUrl);
  let broken: Promise<{ runIds: number[]; tries: number }>;
  try {
    await hold(database, 'broken');
    broken = insistently('broken');
    expect(await until(() => isHeld(database))).toBe(true);
    await proctor.kill('api', 'SIGKILL');
  } finally {
    await database.end();
  }
  expect(await countRuns()).toBe(ITEMS);
  await proctor.restart('api');
  const { tries } = await broken;
  expect(tries).toBeGreaterThan(1);
  const runIds = [...whole.runIds, ...(await broken).runIds];
  expect(new Set(runIds).size).toBe(2 * ITEMS);
  expect(await countRuns()).toBe(2 * ITEMS);

  const cancel = {
    method: 'POST',
    body: JSON.stringify({ arch }),
    headers: { 'Content-Type': 'application/json' },
  };
  const cancelled = await client.fetch('/api/v1/test/cancel', cancel);
  expect(((await cancelled.json()) as { cancelled: number[] }).cancelled).toHaveLength(2 * ITEMS);
  const isOver = async (): Promise<boolean> => (await ordersWaiting()) === 0;
  expect(await until(isOver)).toBe(true);
  const accounts = await accountsOf(proctor, runIds);
  const ends = accounts.map(({ state, facts }) => [state, ...facts].join());
  expect(new Set(ends)).toEqual(new Set(['finished,requested,cancelled']));
});

async function ordersWaiting(): Promise<number> {
  const database = await connectTo(stage.proctor.databaseUrl);
  try {
    const { rows } = await database.query<{ count: number }>(
      'select count(*)::int as count from orders where not taken_in',
    );
    return rows[0]?.count ?? 0;
  } finally {
    await database.end();
  }
}
