import { errorSignature } from '@proctor/contracts';
import type { RunRequest } from '@proctor/contracts';
import type { ListFilter } from '@proctor/database';
import { ARCH, finish } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';
import { ids, Runs } from './runs';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate runs, attempts, orders'));

const runs = new Runs(() => fixture);
const [DISK, NETWORK] = ['no space left on device', 'no route to host'] as const;
const signatureOf = (line: string): string => errorSignature({ lines: [line] });

/** A run that ends with this line in its log at a time of its own. */
async function failedRun(line: string, at: string, change: Partial<RunRequest> = {}): Promise<number> {
  const runId = await runs.leased(change);
  const excerpt = { firstLine: 3, errorLine: 3, lines: [line] };
  const error = { signature: errorSignature(excerpt), excerpt };
  await fixture.commit(change.arch ?? ARCH, [finish(runId, 1, { verdict: 'fail', error })]);
  await runs.endedAt(runId, `2026-11-${at}T00:00:00Z`);
  return runId;
}

it('errors are listed by how often they were seen lately, or by when they were seen first', async () => {
  const { errorSignatures } = fixture.database;
  expect(await errorSignatures.list('seen', 10)).toEqual([]);
  const first = await failedRun(DISK, '10', { trigger: 'glibc/2.40-4' });
  await failedRun(NETWORK, '11', { package: 'figlet' });
  const last = await failedRun(DISK, '12', { package: 'dash', suite: 'sid' });
  const frequent = await errorSignatures.list('seen', 10);
  expect(frequent.map(({ signature, count }) => [signature, count])).toEqual([
    [signatureOf(DISK), 2],
    [signatureOf(NETWORK), 1],
  ]);
  expect(frequent[0]).toEqual({
    signature: signatureOf(DISK),
    count: 2,
    isMore: false,
    packages: 2,
    places: 2,
    firstRunId: first,
    firstAt: new Date('2026-11-10T00:00:00Z'),
    firstTrigger: 'glibc/2.40-4',
    lastRunId: last,
    lastAt: new Date('2026-11-12T00:00:00Z'),
    lastPackage: 'dash',
    excerpt: { firstLine: 3, errorLine: 3, lines: [DISK] },
  });
  const newest = await errorSignatures.list('new', 1);
  expect(newest.map(({ signature }) => signature)).toEqual([signatureOf(NETWORK)]);
  const ofAll = { suites: null, architectures: null, package: null };
  expect(await errorSignatures.count(ofAll)).toBe(2);
  expect(await errorSignatures.count({ ...ofAll, package: 'd*' })).toBe(1);
  const listed = async (change: Partial<ListFilter>, from = 0) => {
    const filter = { suites: null, architectures: null, package: null, ...change };
    return (await errorSignatures.list('seen', 10, filter, from)).map((error) => [
      error.signature,
      error.count,
    ]);
  };
  expect(await listed({}, 1)).toEqual([[signatureOf(NETWORK), 1]]);
  expect(await listed({ suites: ['sid', 'trixie'] })).toEqual([[signatureOf(DISK), 1]]);
  expect(await listed({ package: 'f*' })).toEqual([[signatureOf(NETWORK), 1]]);
  expect(await listed({ architectures: ['riscv64'] })).toEqual([]);
});

it('an error has its packages, the most frequent first, its places and its runs in parts', async () => {
  const { errorSignatures } = fixture.database;
  const failures = [
    await failedRun(DISK, '10'),
    await failedRun(DISK, '11', { package: 'dash' }),
    await failedRun(DISK, '12', { package: 'dash', suite: 'sid' }),
  ];
  await failedRun(NETWORK, '13');
  const { packages, places } = await errorSignatures.use(signatureOf(DISK), 10);
  expect(packages).toEqual([
    { package: 'dash', count: 2, lastAt: new Date('2026-11-12T00:00:00Z') },
    { package: 'hello', count: 1, lastAt: new Date('2026-11-10T00:00:00Z') },
  ]);
  expect(places.map(({ suite, count }) => [suite, count])).toEqual([
    ['bookworm', 2],
    ['sid', 1],
  ]);
  expect(ids(await errorSignatures.runs(signatureOf(DISK), 2, null))).toEqual([failures[2], failures[1]]);
  expect(ids(await errorSignatures.runs(signatureOf(DISK), 2, failures[1]!))).toEqual([failures[0]]);
  expect(await errorSignatures.runs(signatureOf(DISK), 2, 999_999)).toEqual([]);
});

it('the errors of private runs are as if not there', async () => {
  const { errorSignatures } = fixture.database;
  await failedRun(NETWORK, '10', { isPrivate: true });
  await failedRun(DISK, '11', { isPrivate: true });
  const open = await failedRun(DISK, '12');
  const listed = await errorSignatures.list('new', 10);
  expect(listed).toMatchObject([
    { signature: signatureOf(DISK), count: 1, firstRunId: open, lastRunId: open },
  ]);
  expect(await errorSignatures.find(signatureOf(NETWORK))).toBeNull();
  expect(await errorSignatures.use(signatureOf(NETWORK), 10)).toEqual({ packages: [], places: [] });
  expect(await errorSignatures.runs(signatureOf(NETWORK), 10, null)).toEqual([]);
});
