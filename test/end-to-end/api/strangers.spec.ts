import type { Client } from 'pg';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { connectTo } from '@test/support/database';

/** The pages that everybody may see and that take the most to make. */
const PAGES = ['/', '/data/feeds/all-packages.xml', '/status/', '/data/status/bookworm/amd64/packages.json'];
const AT_ONCE_MAX = 8;
const WAITING_MAX = 40;

let api: RunningApi;
let blocker: Client;

beforeEach(async () => {
  api = await startApi({
    server: {
      anonymousRequestsAtOnceMax: AT_ONCE_MAX,
      anonymousRequestsWaitingMax: WAITING_MAX,
      anonymousWaitMs: 60_000,
    },
  });
  blocker = await connectTo(api.databaseUrl);
});
afterEach(async () => {
  await blocker.end();
  await api.stop();
});

/** Nothing that reads packages or pauses gets an answer until the lock is given back; submissions need neither lock. */
async function blockPages(): Promise<void> {
  await blocker.query('begin');
  await blocker.query('lock table worker_judgements, pauses, package_durations in access exclusive mode');
}

async function statementsThatWait(): Promise<string[]> {
  const { rows } = await blocker.query<{ query: string }>(
    `select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.map(({ query }) => query);
}

it('strangers whose pages do not come leave the database to those with a key', async () => {
  await blockPages();
  const pages = Array.from({ length: 60 }, () => api.fetch('/'));
  while ((await statementsThatWait()).length === 0);
  const runIds = await Promise.all(
    Array.from({ length: 20 }, (_none, place) => api.submit(`package${place}`)),
  );
  expect(new Set(runIds).size).toBe(20);
  expect((await api.api('/test?since=0')).status).toBe(200);
  // One of all that ask makes the page: none of its statements waits twice.
  const waiting = await statementsThatWait();
  expect(waiting).not.toEqual([]);
  expect(waiting).toEqual([...new Set(waiting)]);
  await blocker.query('rollback');
  const statuses = (await Promise.all(pages)).map((page) => page.status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(AT_ONCE_MAX + WAITING_MAX);
  expect(statuses.filter((status) => status === 503)).toHaveLength(60 - AT_ONCE_MAX - WAITING_MAX);
});

it('strangers get what is newest, and the same bytes, however many ask', async () => {
  const runId = await api.submit('apt');
  await api.finish(runId, { verdict: 'fail', version: '2.1' });
  for (const path of PAGES) {
    const answers = await Promise.all(Array.from({ length: 30 }, () => api.fetch(path)));
    expect([path, new Set(answers.map(({ status }) => status))]).toEqual([path, new Set([200])]);
    const texts = new Set(await Promise.all(answers.map((answer) => answer.text())));
    expect(texts.size).toBe(1);
  }
  await api.finish(await api.submit('apt'), { verdict: 'pass', version: '2.2' });
  const list = (await (await api.fetch(PAGES[3]!)).json()) as { version: string }[];
  expect(list.map(({ version }) => version)).toEqual(['2.2']);
});

it('strangers that leave before their turn keep no place', async () => {
  await blockPages();
  const departure = new AbortController();
  const pages = Array.from({ length: 20 }, () =>
    api.fetch('/', { signal: departure.signal }).catch((error: Error) => error.name),
  );
  while ((await statementsThatWait()).length === 0);
  departure.abort();
  expect(new Set(await Promise.all(pages))).toEqual(new Set(['AbortError']));
  await blocker.query('rollback');
  expect((await api.fetch('/')).status).toBe(200);
});
