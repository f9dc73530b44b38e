import { request } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';
import { Runs } from './runs';

let fixture: Fixture;
const runs = new Runs(() => fixture);

beforeAll(async () => {
  fixture = await setUp();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.client.query('truncate runs, attempts, orders, packages'));

const list = (backend?: string | string[], keyId = fixture.submitter.keyId) =>
  fixture.database.packages.list(backend === undefined ? undefined : [backend].flat(), keyId);
const names = async (...args: Parameters<typeof list>) => (await list(...args)).map(({ name }) => name);

it('packages are those that runs were asked of, once each', async () => {
  for (const name of ['zlib', 'hello', 'zlib']) await runs.waiting({ package: name });
  await fixture.database.submissions.submit(
    ['libfoo', 'hello', 'libfoo'].map((name) => request({ package: name })),
    fixture.submitter,
  );
  expect(await names()).toEqual(['hello', 'libfoo', 'zlib']);
  expect((await list())[0]).toEqual({ id: expect.any(Number), name: 'hello', backend: null, removed: false });
});

it('packages are chosen by their backend', async () => {
  for (const name of ['one', 'two', 'three']) await runs.waiting({ package: name });
  await fixture.client.query(`update packages set backend = 'qemu' where name = 'two'`);
  expect(await names('qemu')).toEqual(['two']);
  expect(await names('')).toEqual(['one', 'three']);
  expect(await names('nothing')).toEqual([]);
  expect(await names(['qemu', ''])).toEqual(['one', 'three', 'two']);
  expect(await names()).toHaveLength(3);
});

it('packages that only private runs made known are shown to the key of one alone, until a public one comes', async () => {
  const { keyId } = await runs.otherKey();
  await runs.waiting({ package: 'secret', isPrivate: true });
  const { publicRuns } = fixture.database;
  expect([await names(), await names(undefined, keyId)]).toEqual([['secret'], []]);
  expect([await publicRuns.prefixes(), await packagesOf('s')]).toEqual([[], []]);
  await runs.waiting({ package: 'secret' });
  expect(await names(undefined, keyId)).toEqual(['secret']);
  await runs.waiting({ package: 'secret', isPrivate: true });
  expect(await packagesOf('s')).toEqual(['secret']);
});

it('the ids of packages show nothing of packages that only private runs have', async () => {
  const idOf = async (packageName: string) => (await list()).find(({ name }) => name === packageName)!.id;
  await runs.waiting({ package: 'aa' });
  const first = await idOf('aa');
  await runs.waiting({ package: 'secret', isPrivate: true });
  const published = await runs.waiting({ package: 'hidden', isPrivate: true });
  expect([await idOf('secret'), await idOf('hidden')]).toEqual([expect.any(Number), expect.any(Number)]);
  for (const name of ['bb', 'secret', 'cc']) await runs.waiting({ package: name });
  await fixture.database.publications.publish([published], fixture.submitter.keyId);
  const ids = await Promise.all(['bb', 'secret', 'cc', 'hidden'].map(idOf));
  expect(ids.map((id) => id - first)).toEqual([1, 2, 3, 4]);
});

async function packagesOf(prefix: string): Promise<string[]> {
  const filter = { state: null, suite: null, arch: null, staleBefore: new Date(0) };
  const { packages } = await fixture.database.prefixPages.part(prefix, filter, 100, null);
  return packages.map(({ name }) => name);
}

it('packages have prefixes', async () => {
  for (const name of ['zlib', 'lib', 'libfoo', 'libf2fs', 'lua', '0ad'])
    await runs.waiting({ package: name });
  const { publicRuns } = fixture.database;
  expect(await publicRuns.prefixes()).toEqual(['0', 'l', 'libf', 'z']);
  expect(await packagesOf('libf')).toEqual(['libf2fs', 'libfoo']);
  expect(await packagesOf('l')).toEqual(['lib', 'lua']);
  expect(await packagesOf('x')).toEqual([]);
});

it('packages are written down by many at the same time, whatever the order', async () => {
  const all = Array.from({ length: 200 }, (_, place) => request({ package: `package-${place}` }));
  await Promise.all(
    Array.from({ length: 8 }, (_, place) =>
      fixture.database.submissions.submit(place % 2 ? all : all.toReversed(), fixture.submitter),
    ),
  );
  expect(await names()).toHaveLength(200);
});
