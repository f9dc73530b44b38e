import { Logger } from '@nestjs/common';
import { DATABASE_LIMITS, DatabaseUnavailable, type OpenDatabase, openDatabase } from '@proctor/database';
import type { BoundedClient } from '@libs/database/src/kit/bounded-client';
import { endOf, serverOf, witnessAt } from '@libs/database/src/kit/commit-search';
import { type CuttableLink, linkTo } from '@test/support/cuttable-link';
import { ARCH, grant, request } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';

const LIMITS = { answerTimeoutMs: 2_000, commitSearchTimeoutMs: 10_000 };

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
  await fixture.client.query('truncate runs, attempts, orders, idempotency_keys');
  link = await linkTo(fixture.url);
  database = await openDatabase(link.url, LIMITS);
});
afterEach(async () => {
  await database.close();
  await link.cut();
});

const submit = () => database.submissions.submit([request()], fixture.submitter);
const countRuns = async () => (await fixture.client.query('select from runs')).rowCount;

async function failureOf(work: Promise<unknown>): Promise<DatabaseUnavailable> {
  const error: unknown = await work.catch((reason: unknown) => reason);
  if (error instanceof DatabaseUnavailable) return error;
  throw new Error(`no DatabaseUnavailable: ${String(error)}`);
}

it('the database counts what was committed although the answer is lost: no client has to do it again', async () => {
  link.loseAnswersTo('commit\0');
  const answers = await Promise.all(Array.from({ length: 10 }, submit));
  expect(await countRuns()).toBe(10);
  const { rows } = await fixture.client.query<{ run_id: number }>('select run_id from runs');
  expect(answers.flat().map(Number).sort()).toEqual(rows.map(({ run_id }) => Number(run_id)).sort());
});

it('the database counts the same of a request with a key and of a turn', async () => {
  const key = { keyId: fixture.submitter.keyId, key: 'one', fingerprint: 'a'.repeat(64) };
  link.loseAnswersTo('commit\0');
  const [runId] = await submit();
  const once = await database.submissions.submitOnce(key, [request()], fixture.submitter, (ids) => ids);
  expect(once).toMatchObject({ kind: 'created' });
  const ownership = await database.ownershipRegister.claim(ARCH, 'scheduler-1', 60_000);
  await database.journal.commit(ARCH, ownership!.epoch, [grant(runId!, 1)]);
  expect(await database.results.find(runId!)).toMatchObject({ state: 'leased' });
});

it('the database counts a user and a password, which are not added or set a second time', async () => {
  const name = `grace-${Math.trunc(performance.now())}`;
  link.loseAnswersTo('commit\0');
  const user = await database.users.add(name, { isAdmin: true, password: 'first' });
  await database.users.setPassword(name, 'second');
  link.clear();
  expect(await database.users.authenticate(name, 'second')).toEqual(user);
});

it('the database knows that nothing was changed when the commit never arrived, and leaves nothing open', async () => {
  link.lose('commit\0');
  expect((await failureOf(submit())).extent).toBe('nothing');
  expect(await countRuns()).toBe(0);
  const { rowCount } = await fixture.client.query(
    `select from pg_stat_activity where datname = current_database() and backend_xid is not null
       and pid <> pg_backend_pid()`,
  );
  expect(rowCount).toBe(0);
});

it('the database says that it is not known when the server cannot be asked', async () => {
  link.loseAnswersTo('commit\0');
  const submitted = failureOf(submit());
  while ((await countRuns()) === 0);
  link.swallow();
  const { extent, message } = await submitted;
  expect([extent, message]).toEqual(['unknown', expect.stringContaining('not known whether')]);
});

it('the database knows that nothing was changed when the work itself fails', async () => {
  link.loseAnswersTo('insert into runs');
  expect((await failureOf(submit())).extent).toBe('nothing');
  expect(await countRuns()).toBe(0);
});

it('the database writes nothing of a transaction that the server has not begun, though all of it was sent at once', async () => {
  link.garble('begin isolation');
  const failure: unknown = await submit().catch((reason: unknown) => reason);
  expect(failure).toBeInstanceOf(Error);
  expect(await countRuns()).toBe(0);
  link.clear();
  await submit();
  expect(await countRuns()).toBe(1);
});

it('the database believes only the server, and the timeline, that the transaction was made on', async () => {
  await fixture.client.query('begin; insert into packages (name, is_public) values ($$p$$, true)');
  const { rows } = await fixture.client.query<{ id: string; processId: number }>(
    `select pg_current_xact_id()::text as id, pg_backend_pid() as "processId"`,
  );
  await fixture.client.query('commit');
  const server = (await serverOf(fixture.client as unknown as BoundedClient))!;
  const transaction = { ...rows[0]!, server };
  const ask = (changes: object) =>
    endOf({ ...transaction, ...changes }, (timeoutMs) => witnessAt(fixture.url, timeoutMs), DATABASE_LIMITS);
  expect(await ask({})).toBe('committed');
  expect(await ask({ server: server.replace('/00000001/', '/00000002/') })).toBe('unknown');
  expect(await ask({ server: `1${server}` })).toBe('unknown');
  expect(await ask({ server: null })).toBe('unknown');
  // The server has nothing to say of such an id but an error.
  expect(await ask({ id: 'odd' })).toBe('unknown');
});
