import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  ApiKeys,
  DatabaseModule,
  PostgresJournal,
  PostgresOwnershipRegister,
  PublicRuns,
  Results,
  STORES,
  Submissions,
  Users,
} from '@proctor/database';
import { connectTo, createTestDatabase, type TestDatabase } from '@test/support/database';
import { request } from '../journal.fixture';

@Injectable()
class Consumer {
  constructor(
    readonly users: Users,
    readonly apiKeys: ApiKeys,
    readonly submissions: Submissions,
    readonly results: Results,
    readonly publicRuns: PublicRuns,
    readonly journal: PostgresJournal,
    readonly ownershipRegister: PostgresOwnershipRegister,
  ) {}
}

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(() => testDatabase.drop());

it('the module of the database gives its stores to every provider, and ends its connections with the application', async () => {
  const app = await Test.createTestingModule({
    imports: [DatabaseModule.forReaders(testDatabase.url)],
    providers: [Consumer],
  }).compile();
  await app.init();
  for (const Store of Object.values(STORES)) expect(app.get(Store)).toBeInstanceOf(Store);
  const consumer = app.get(Consumer);
  await consumer.users.add('ada', { isAdmin: false });
  const { key } = await consumer.apiKeys.create('ada', 'x');
  const requestor = await consumer.apiKeys.authenticate(key);
  expect(requestor).toMatchObject({ userName: 'ada' });
  const [runId] = await consumer.submissions.submit([request()], requestor!);
  expect(await consumer.results.find(runId!)).toMatchObject({ runId, requestor: 'ada' });
  expect((await consumer.publicRuns.waiting(1))[0]!.runId).toBe(runId);
  expect((await consumer.journal.load('amd64', 3_600_000)).runs).toHaveLength(1);
  expect(await consumer.ownershipRegister.reportAlive('one', 1000)).toEqual(['one']);
  await app.close();
  await connectionsEnded();
});

/** The server learns of an ended connection a moment later. */
async function connectionsEnded(): Promise<void> {
  const client = await connectTo(testDatabase.url);
  const connected = `select from pg_stat_activity
    where datname = current_database() and application_name = 'proctor'`;
  while ((await client.query(connected)).rowCount !== 0);
  await client.end();
}
