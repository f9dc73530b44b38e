import { Logger } from '@nestjs/common';
import { DatabaseUnavailable, openDatabase } from '@proctor/database';
import type { OpenDatabase, Submitter } from '@proctor/database';
import { type CuttableLink, linkTo } from '@test/support/cuttable-link';
import { request } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';

const FINGERPRINT = 'a'.repeat(64);

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
  await fixture.client.query('truncate runs, attempts, orders, facts, idempotency_keys');
  link = await linkTo(fixture.url);
  database = await openDatabase(link.url, { answerTimeoutMs: 3_000, statementTimeoutMs: 2_500 });
});
afterEach(async () => {
  await database.close();
  await link.cut();
});

const submit = (name: string, submitter: Submitter = fixture.submitter) =>
  database.submissions.submit([request({ package: name })], submitter);

const claim = (key: string, fingerprint = FINGERPRINT) => ({
  keyId: fixture.submitter.keyId,
  key,
  fingerprint,
});

const submitOnce = (name: string, key: string, fingerprint?: string) =>
  database.submissions.submitOnce(
    claim(key, fingerprint),
    [request({ package: name })],
    fixture.submitter,
    (runIds) => ({ runIds, name }),
  );

interface StoredRun {
  run_id: number;
  package: string;
  requestor_id: number;
  api_key_id: number;
  transaction: string;
}

async function stored(): Promise<StoredRun[]> {
  const { rows } = await fixture.client.query<StoredRun>(
    'select run_id, package, requestor_id, api_key_id, xmin::text as transaction from runs order by run_id',
  );
  return rows;
}

it('submissions that come together share a transaction, and each gets its own ids, owner, and facts', async () => {
  const { userId } = await database.users.add('grace', { isAdmin: false });
  const { id: keyId } = await database.apiKeys.create('grace', 'test');
  const owners = [fixture.submitter, { userId, keyId }];
  const names = Array.from({ length: 30 }, (_none, place) => `together${place}`);
  const answers = await Promise.all(names.map((name, place) => submit(name, owners[place % 2])));
  const runs = await stored();
  expect(new Set(runs.map(({ transaction }) => transaction)).size).toBe(1);
  expect(runs).toEqual(
    names.map((name, place) => ({
      run_id: answers[place]![0],
      package: name,
      requestor_id: owners[place % 2]!.userId,
      api_key_id: owners[place % 2]!.keyId,
      transaction: runs[0]!.transaction,
    })),
  );
  const { rows } = await fixture.client.query('select actor from facts order by run_id');
  expect(rows).toEqual(names.map((_name, place) => ({ actor: place % 2 === 0 ? 'user ada' : 'user grace' })));
});

it('submissions that come together do not fail for one that the database refuses', async () => {
  const outcomes = await Promise.allSettled(['good', 'bad\0', 'better'].map((name) => submit(name)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(outcomes[1]).toMatchObject({ reason: { code: '22021' } });
  expect((await stored()).map((run) => run.package).sort()).toEqual(['better', 'good']);
});

it('submissions that come together do not wait for one that waits for another transaction', async () => {
  await fixture.client.query(`begin; insert into packages (name, is_public) values ('held', true)`);
  const heldSubmission = submit('held');
  const [[first], [second]] = await Promise.all([submit('free1'), submit('free2')]);
  expect((await stored()).map(({ run_id }) => run_id).sort()).toEqual([first, second].sort());
  await fixture.client.query('rollback');
  expect(await heldSubmission).toHaveLength(1);
});

it('submissions that come together are done once for each idempotency key', async () => {
  const outcomes = await Promise.all([
    submitOnce('one', 'a'),
    submitOnce('two', 'b'),
    submitOnce('one', 'a'),
    submitOnce('three', 'a', 'b'.repeat(64)),
    submit('four'),
  ]);
  const [one, two, again, other] = outcomes;
  expect(one).toEqual({ kind: 'created', answer: { runIds: [expect.any(Number)], name: 'one' } });
  expect(two).toEqual({ kind: 'created', answer: { runIds: [expect.any(Number)], name: 'two' } });
  expect(again).toEqual({ ...(one as object), kind: 'replayed' });
  expect(other).toEqual({ kind: 'conflict' });
  expect((await stored()).map((run) => run.package).sort()).toEqual(['four', 'one', 'two']);
  expect(await database.keptAnswers.find(claim('b'))).toEqual({ ...(two as object), kind: 'replayed' });
});

it('submissions that come together all get the outcome when the answer to their commit is lost, and it was done', async () => {
  link.loseAnswersTo('commit\0');
  const answers = await Promise.all([submit('one'), submitOnce('two', 'c'), submit('three')]);
  expect(answers).toHaveLength(3);
  expect(await stored()).toHaveLength(3);
});

it('submissions that come together all get the outcome when their commit never arrived', async () => {
  link.lose('commit\0');
  for (const outcome of await Promise.allSettled([submit('one'), submitOnce('two', 'd')])) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { extent: 'nothing' } });
    expect((outcome as PromiseRejectedResult).reason).toBeInstanceOf(DatabaseUnavailable);
  }
  expect(await stored()).toEqual([]);
});
