import { randomUUID } from 'node:crypto';
import { accountsOf } from '../../../support/accounts';
import { connectTo } from '../../../support/database';
import { silenceLog } from '../../../support/silent-log';
import { STUB_SUITE } from '../../../support/stub';
import { until } from '../../../support/until';
import { arch, Stage } from './stage';

jest.setTimeout(180_000);
silenceLog();

const ITEMS = 5_000;
const REQUESTS = 6;

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
  if (!(await until(isAnswered, 120_000)) || runIds === null) throw new Error(`${name} was never answered`);
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

it('lists of 5,000 posted while the api is killed again and again exist once, whole', async () => {
  const { proctor, client } = stage;
  const posts = Array.from({ length: REQUESTS }, (_, place) => insistently(`list${place}-`));
  // Some are committed and not answered then, some are not committed.
  for (const lists of [1, 3]) {
    if (!(await until(async () => (await countRuns()) >= lists * ITEMS, 60_000)))
      throw new Error('nothing came');
    await proctor.kill('api', 'SIGKILL');
    expect((await countRuns()) % ITEMS).toBe(0);
    await proctor.restart('api');
  }
  const answers = await Promise.all(posts);
  expect(answers.some(({ tries }) => tries > 1)).toBe(true);
  const runIds = answers.flatMap((answer) => answer.runIds);
  expect(new Set(runIds).size).toBe(REQUESTS * ITEMS);
  expect(await countRuns()).toBe(REQUESTS * ITEMS);

  const cancel = {
    method: 'POST',
    body: JSON.stringify({ arch }),
    headers: { 'Content-Type': 'application/json' },
  };
  const cancelled = await client.fetch('/api/v1/test/cancel', cancel);
  expect(((await cancelled.json()) as { cancelled: number[] }).cancelled).toHaveLength(REQUESTS * ITEMS);
  const isOver = async (): Promise<boolean> => (await ordersWaiting()) === 0;
  expect(await until(isOver, 60_000)).toBe(true);
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
