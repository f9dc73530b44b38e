import type { Grant } from '@proctor/contracts';
import { fail, finish, grant, outcome, request, requeue, start, ARCH } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());

it('the journal knows the attempts whose results are awaited, whichever worker was granted them', async () => {
  const { submissions, awaitedReports, cancellations } = fixture.database;
  const requests = Array.from({ length: 7 }, () => request());
  const [running, failedRun, again, finishedRun, givenUp, cancelled, waiting] = (await submissions.submit(
    requests,
    fixture.submitter,
  )) as [number, number, number, number, number, number, number];
  const giveUp = outcome({ verdict: 'tmpfail', exitCode: null, version: null, durationSeconds: null });
  await fixture.commit(ARCH, [
    ...[grant(running, 1, 0, 'w1'), start(running, 1)],
    ...[grant(failedRun, 1, 0, 'w2'), fail(failedRun, 1)],
    ...[grant(again, 1, 0, 'w3'), requeue(again, 1), grant(again, 2, 0, 'w4'), requeue(again, 2)],
    ...[grant(finishedRun, 1, 0, 'w5'), finish(finishedRun, 1)],
    grant(givenUp, 1, 0, 'w6'),
    ...[
      {
        kind: 'finish' as const,
        runId: givenUp,
        attempt: 1,
        attemptOutcome: 'expired' as const,
        outcome: giveUp,
        worker: 'w6',
      },
    ],
    grant(cancelled, 1, 0, 'w7'),
  ]);
  await cancellations.cancel(cancelled, { ...fixture.submitter, userName: 'ada' });
  const attempts = [running, failedRun, again, finishedRun, givenUp, cancelled, waiting, 2 ** 52].flatMap(
    (runId) => [1, 2].map((attempt): Grant => ({ runId, attempt })),
  );
  const awaited = await awaitedReports.among(attempts);
  expect(awaited.sort((a, b) => a.runId - b.runId)).toEqual([
    { runId: running, attempt: 1 },
    { runId: again, attempt: 2 },
    { runId: givenUp, attempt: 1 },
  ]);
  expect(await awaitedReports.among([])).toEqual([]);

  const { grantEpoch = 0 } = (await fixture.database.journal.listUnfinished(ARCH, [running]))[0]!;
  const own = { runId: running, attempt: 1, grantEpoch };
  const forgotten = { ...own, grantEpoch: grantEpoch - 1 };
  expect(await awaitedReports.among([forgotten, own])).toEqual([own]);
});
