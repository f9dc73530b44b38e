import { WriteRefused } from '@proctor/dispatch';
import { ARCH, finish, grant, request } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());

it('the journal distinguishes a value that a row cannot hold from a database that is away, and writes nothing of its turn', async () => {
  const { database, submitter } = fixture;
  const [odd = 0, sound = 0] = await database.submissions.submit([request(), request()], submitter);
  await fixture.commit(ARCH, [grant(odd, 1, 0), grant(sound, 1, 1)]);
  const writes = [finish(sound, 1), finish(odd, 1, { durationSeconds: 1e12 })];
  const committing = fixture.commit(ARCH, writes);
  await expect(committing).rejects.toThrow(WriteRefused);
  await expect(committing).rejects.toThrow(/out of range/);
  const soundAttempt = { runId: sound, attempt: 1, worker: 'w1' };
  expect(await database.journal.reportState(soundAttempt)).toBe('counts');
  await fixture.commit(ARCH, [finish(sound, 1)]);
  expect(await database.journal.reportState(soundAttempt)).toBe('reported');
});
