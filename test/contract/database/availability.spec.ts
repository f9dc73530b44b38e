import { Logger } from '@nestjs/common';
import { DatabaseUnavailable, type DatabaseLimits, type OpenDatabase, openDatabase } from '@proctor/database';
import { type CuttableLink, linkTo } from '@test/support/cuttable-link';
import { ARCH, HALF_LIFE_MS, request } from '../journal.fixture';
import { type Fixture, lockAwaited, setUp } from './fixture';
import { readSince } from '@test/support/results-since';

/** The limits of a call that waits for a lock while the test does something else. */
const LONG = { statementTimeoutMs: 60_000, answerTimeoutMs: 60_000, transactionTimeoutMs: 60_000 };

let fixture: Fixture;
let link: CuttableLink;
let database: OpenDatabase;

beforeAll(async () => {
  Logger.overrideLogger(false);
  fixture = await setUp();
});
afterAll(async () => {
  await fixture.close();
  Logger.overrideLogger(['error', 'warn', 'log']);
});

beforeEach(async () => {
  await fixture.client.query('truncate runs, attempts, orders');
  link = await linkTo(fixture.url);
});
afterEach(async () => {
  await database.close();
  await link.cut();
});

async function open(limits: Partial<DatabaseLimits> = {}): Promise<void> {
  database = await openDatabase(link.url, limits);
}

const submit = () => database.submissions.submit([request()], fixture.submitter);

/** While `work` runs, every insert into runs waits. */
async function withRunsLocked(work: () => Promise<void>): Promise<void> {
  await fixture.client.query('begin; lock table runs in share mode');
  await work();
  await fixture.client.query('commit');
}

it('every store reports an outage while connections are refused, and all work again afterwards', async () => {
  await open();
  const [runId] = await submit();
  const since = async () => {
    const { rows } = await readSince(database.results, fixture.submitter.keyId, 0);
    for await (const row of rows) expect(row.runId).toBe(runId);
  };
  const calls = [
    () => database.users.find('ada'),
    () => database.users.add('grace', { isAdmin: false }),
    () => database.apiKeys.authenticate('pk_x'),
    () => database.apiKeys.create('ada', 'x'),
    () => database.results.find(runId!),
    since,
    () => database.publicRuns.queues(),
    () => database.journal.load(ARCH, HALF_LIFE_MS),
    () => database.ownershipRegister.reportAlive('one', 1000),
    submit,
  ];
  await link.cut();
  for (const call of calls) await expect(call()).rejects.toThrow(DatabaseUnavailable);
  await link.mend();
  await since();
  for (const call of calls) await call();
});

it('the database survives that the server ends every idle connection', async () => {
  await open();
  await Promise.all([submit(), submit(), submit()]);
  await fixture.client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  );
  // The first statements may still meet a connection that is dead, when its end has not arrived yet.
  const answers = await Promise.allSettled([submit(), submit(), submit(), submit()]);
  for (const answer of answers) {
    if (answer.status === 'rejected') expect(answer.reason).toBeInstanceOf(DatabaseUnavailable);
  }
  await submit();
});

it('the database fails a transaction whose connection is lost, and nothing of it stays', async () => {
  await open();
  await withRunsLocked(async () => {
    const submitted = submit().catch((error: unknown) => error);
    await lockAwaited(fixture.url, 'insert into runs');
    await link.cut();
    expect(await submitted).toBeInstanceOf(DatabaseUnavailable);
    await fixture.client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
  });
  await link.mend();
  await submit();
  expect((await fixture.client.query('select from runs')).rowCount).toBe(1);
});

it('the database ends a transaction that takes too long', async () => {
  await open({ transactionTimeoutMs: 2_000 });
  await withRunsLocked(() => expect(submit()).rejects.toThrow(DatabaseUnavailable));
  await submit();
});

it('the database ends a wait for a connection that takes too long', async () => {
  await open({ connectionsMax: 1, connectTimeoutMs: 2_000, ...LONG });
  await withRunsLocked(async () => {
    const first = submit();
    await lockAwaited(fixture.url, 'insert into runs');
    await expect(database.users.find('ada')).rejects.toThrow(DatabaseUnavailable);
    await fixture.client.query('commit');
    await first;
  });
});

it('an outage is reported at once when the database cannot be opened', async () => {
  await open();
  await link.cut();
  await expect(openDatabase(link.url)).rejects.toThrow(DatabaseUnavailable);
  await link.mend();
});

it('the database does not hide errors that come from the request itself', async () => {
  await open();
  const error: unknown = await database.submissions
    .submit([request({ trigger: '\0' })], fixture.submitter)
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(DatabaseUnavailable);
});
