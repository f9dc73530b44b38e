import { ARCH } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';
import { Runs } from './runs';

const TRIGGER = 'glibc/2.41-1';
const MANY = 25_500;

let fixture: Fixture;
const runs = new Runs(() => fixture);

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());

it('the runs of a trigger in brief say the same as their records, newest first, and who sees a private one', async () => {
  const reference = await runs.finished(
    { package: 'broken', trigger: 'migration-reference/0' },
    'pass',
    '1.0-1',
  );
  const older = await runs.finished({ package: 'broken', trigger: 'migration-reference/0' }, 'fail');
  await runs.endedAt(older, '2020-01-01');
  await runs.finished({ package: 'other', trigger: 'other/1' });
  const trigger = { trigger: `${TRIGGER} gcc-14/14.2` };
  const ids = [
    await runs.waiting({ ...trigger, package: 'waits' }),
    await runs.leased({ ...trigger, package: 'leased' }),
    await runs.running({ ...trigger, package: 'runs' }),
    await runs.finished({ ...trigger, package: 'broken' }, 'fail'),
    await runs.finished({ ...trigger, package: 'odd' }, 'tmpfail'),
    await runs.finished({ ...trigger, package: 'fine' }),
    await runs.cancelled({ ...trigger, package: 'cancelled' }),
    await runs.finished({ ...trigger, package: 'hidden', isPrivate: true }, 'fail'),
  ];
  const { triggerRuns } = fixture.database;
  expect((await triggerRuns.of(TRIGGER, {})).map(({ runId }) => runId)).toEqual(ids.slice(0, -1).reverse());
  const brief = await triggerRuns.of(TRIGGER, { userName: 'ada' });
  expect(brief.map(({ runId }) => runId)).toEqual([...ids].reverse());
  const whole = await triggerRuns.whole(brief);
  expect(whole).toHaveLength(ids.length);
  whole.forEach((record, at) => expect(record).toMatchObject(brief[at]!));
  const { finishedAt } = (await fixture.database.results.find(reference))!;
  expect(brief.filter((run) => run.reference).map((run) => [run.package, run.reference])).toEqual([
    ['broken', { runId: reference, verdict: 'pass', version: '1.0-1', date: finishedAt }],
  ]);
});

it('a trigger of more than 25,000 runs is read whole', async () => {
  const { userId, keyId } = fixture.submitter;
  await fixture.client.query(
    `insert into runs (package, suite, arch, backend, variant, priority, trigger, pin_packages, extra_apt_sources,
      is_private, requestor_id, api_key_id, created_at, updated_at)
     select 'p' || n, 'bookworm', $3, 'unshare', 'autopkgtest', 5, 'large/1', '[]', '[]', false, $1, $2, now(), now()
     from generate_series(1, $4::integer) n`,
    [userId, keyId, ARCH, MANY],
  );
  const allRuns = await fixture.database.triggerRuns.of('large/1', {});
  expect(allRuns).toHaveLength(MANY);
  expect(new Set(allRuns.map((run) => run.package)).size).toBe(MANY);
});
