import type { RunSelection } from '@proctor/database';
import { connectTo } from '@test/support/database';
import { ARCH, finish, grant, HALF_LIFE_MS, request } from '../journal.fixture';
import { type Fixture, lockAwaited, setUp } from './fixture';
import { Runs } from './runs';

let fixture: Fixture;
const runs = new Runs(() => fixture);

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate runs, attempts, orders, facts'));

const ada = () => ({ userId: fixture.submitter.userId, userName: 'ada' });
const cancel = (selection: RunSelection, reason?: string) =>
  fixture.database.cancellations.cancelMatching(selection, ada(), reason);

it('a cancellation of many runs ends every unfinished run that matches, whatever its state, and no other', async () => {
  const waiting = await runs.waiting({ package: 'gcc' });
  const running = await runs.running({ package: 'gcc', arch: 'arm64' });
  const finishedRun = await runs.finished({ package: 'gcc' });
  const other = await runs.waiting();
  expect(await cancel({ package: 'gcc' }, 'a broken upload')).toEqual([waiting, running]);
  for (const runId of [waiting, running])
    expect(await fixture.database.results.find(runId)).toMatchObject({
      state: 'finished',
      verdict: 'tmpfail',
      cancelled: true,
      message: 'cancelled by ada: a broken upload',
    });
  expect(await fixture.database.results.find(finishedRun)).toMatchObject({
    verdict: 'pass',
    cancelled: false,
  });
  expect((await fixture.database.journal.load(ARCH, HALF_LIFE_MS)).runs).toMatchObject([{ runId: other }]);
  expect(await fixture.database.journal.orders(ARCH, 10)).toMatchObject([{ runId: waiting, by: 'ada' }]);
  expect(await fixture.database.journal.orders('arm64', 10)).toMatchObject([
    { runId: running, worker: 'w1' },
  ]);
  expect((await fixture.database.facts.ofRun(running)).at(-1)).toMatchObject({
    kind: 'cancelled',
    actor: 'user ada',
    reason: 'a broken upload',
    verdict: 'tmpfail',
  });
  expect(await cancel({ package: 'gcc' })).toEqual([]);
});

it('a cancellation of many runs looks at everything that is named', async () => {
  const changes = [
    {},
    { package: 'gcc' },
    { trigger: 'glibc/2.36' },
    { suite: 'sid' },
    { arch: 'arm64' },
  ] as const;
  const [plain, gcc, triggered, sid, arm] = await fixture.database.submissions.submit(
    changes.map((change) => request(change)),
    fixture.submitter,
  );
  const key = await runs.otherKey();
  const foreign = await runs.waiting({ package: 'gcc', isPrivate: true }, key);
  expect(await cancel({ package: 'gcc', suite: 'sid' })).toEqual([]);
  expect(await cancel({ package: 'gcc', keyId: fixture.submitter.keyId })).toEqual([gcc]);
  expect(await cancel({ trigger: 'glibc/2.36' })).toEqual([triggered]);
  expect(await cancel({ suite: 'sid' })).toEqual([sid]);
  expect(await cancel({ arch: 'arm64' })).toEqual([arm]);
  expect(await cancel({ runIds: [] })).toEqual([]);
  expect(await cancel({ runIds: [foreign, plain!, 10 ** 12], keyId: key.keyId })).toEqual([foreign]);
  expect(await cancel({ runIds: [plain!] })).toEqual([plain]);
});

it('a cancellation of many runs waits for a row that a dispatcher holds, and leaves it when it has finished meanwhile', async () => {
  const [first, second] = [await runs.leased(), await runs.waiting()];
  const dispatcher = await connectTo(fixture.url);
  await dispatcher.query('begin');
  await dispatcher.query(
    `update runs set state = 'finished', verdict = 'pass', message = 'm', version = 'v', finished_at = now()
     where run_id = $1`,
    [first],
  );
  const cancelled = cancel({ package: 'hello' });
  await lockAwaited(fixture.url, 'order by r.run_id for no key update');
  await dispatcher.query('commit');
  await dispatcher.end();
  expect(await cancelled).toEqual([second]);
});

it('a cancellation of many runs and dispatchers, single cancellations and publications do not wait for each other in a circle', async () => {
  for (let round = 0; round < 10; round += 1) {
    const requests = Array.from({ length: 40 }, () => request({ isPrivate: true }));
    const runIds = await fixture.database.submissions.submit(requests, fixture.submitter);
    const grants = runIds.map((runId) => grant(runId, 1));
    await fixture.commit(ARCH, grants);
    const backwards = runIds.toReversed();
    const [, one, other] = await Promise.allSettled([
      fixture.commit(
        ARCH,
        backwards.map((runId) => finish(runId, 1)),
      ),
      cancel({ runIds: backwards }),
      cancel({ package: 'hello' }),
      fixture.database.publications.publish(backwards, fixture.submitter.keyId),
      fixture.database.cancellations.cancel(runIds[20]!, ada()),
    ]);
    // The dispatcher's turn may come too late; no other may fail.
    expect([one.status, other.status]).toEqual(['fulfilled', 'fulfilled']);
    const { rows } = await fixture.client.query(`select from runs where state <> 'finished' or is_private`);
    expect(rows).toEqual([]);
  }
});
