import { createHash } from 'node:crypto';
import { workerKey } from '@test/support/worker-register';
import { type Fixture, setUp } from './fixture';

const HOUR_MS = 3_600_000;
const LIST = Buffer.from('a list');
const OTHER = Buffer.from('another list');

let fixture: Fixture;

beforeAll(async () => {
  fixture = await setUp();
  await add('w1', ['amd64']);
  await add('w2', ['amd64', 'arm64']);
});
beforeEach(() => fixture.client.query('delete from source_names'));
afterAll(() => fixture.close());

const ada = () => ({ userId: fixture.submitter.userId, userName: 'ada' });

function add(name: string, architectures: string[]): Promise<unknown> {
  const worker = { name, publicKey: workerKey(), architectures, mayRunPrivate: false };
  return fixture.database.workerRegister.add(worker, ada());
}

function offered(content: Buffer, worker = 'w1', ageMs = 0, arch = 'amd64') {
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { suite: 'bookworm', arch, worker, sha256, ageMs };
}

it('a list is kept as it was sent, one for each suite and architecture', async () => {
  const { sourceNames } = fixture.database;
  const first = offered(LIST);
  const second = offered(OTHER, 'w2', HOUR_MS, 'arm64');
  expect(await sourceNames.saveNames(first, LIST)).toBe(true);
  expect(await sourceNames.saveNames(second, OTHER)).toBe(true);
  const savedNames = await sourceNames.listSaved();
  expect(savedNames).toEqual([
    { suite: 'bookworm', arch: 'amd64', sha256: first.sha256, ageMs: expect.any(Number) as number },
    { suite: 'bookworm', arch: 'arm64', sha256: second.sha256, ageMs: expect.any(Number) as number },
  ]);
  expect(savedNames[0]!.ageMs).toBeLessThan(HOUR_MS / 2);
  expect(savedNames[1]!.ageMs).toBeGreaterThanOrEqual(HOUR_MS);
  expect(await sourceNames.content(first, first.sha256)).toEqual(LIST);
  expect(await sourceNames.content(first, second.sha256)).toBeNull();
});

it('the newest list counts, whichever worker has sent it, and an older one never takes its place', async () => {
  const { sourceNames } = fixture.database;
  await sourceNames.saveNames(offered(LIST, 'w1', HOUR_MS), LIST);
  expect(await sourceNames.saveNames(offered(OTHER, 'w2', 2 * HOUR_MS), OTHER)).toBe(false);
  expect(await sourceNames.saveNames(offered(OTHER, 'w2'), OTHER)).toBe(true);
  expect(await sourceNames.saveNames(offered(LIST, 'w1', HOUR_MS), LIST)).toBe(false);
  expect((await sourceNames.listSaved()).map(({ sha256 }) => sha256)).toEqual([offered(OTHER).sha256]);
});

it('a list that is seen again is as new as that, and never older than before', async () => {
  const { sourceNames } = fixture.database;
  await sourceNames.saveNames(offered(LIST, 'w1', 5 * HOUR_MS), LIST);
  expect(await sourceNames.confirm(offered(OTHER))).toBe(false);
  expect(await sourceNames.confirm(offered(LIST, 'w2', 2 * HOUR_MS))).toBe(true);
  expect(await sourceNames.confirm(offered(LIST, 'w1', 4 * HOUR_MS))).toBe(true);
  const [{ ageMs } = { ageMs: NaN }] = await sourceNames.listSaved();
  expect(ageMs / HOUR_MS).toBeCloseTo(2, 1);
});

it('a worker says nothing of an architecture that is not its own, nor once it is revoked', async () => {
  const { sourceNames, workerRegister } = fixture.database;
  await add('w3', ['amd64']);
  expect(await sourceNames.saveNames(offered(LIST, 'w3', 0, 'arm64'), LIST)).toBe(false);
  expect(await sourceNames.saveNames(offered(LIST, 'nobody'), LIST)).toBe(false);
  await sourceNames.saveNames(offered(LIST, 'w3', HOUR_MS), LIST);
  await workerRegister.revoke('w3', ada());
  expect(await sourceNames.confirm(offered(LIST, 'w3'))).toBe(false);
  expect(await sourceNames.saveNames(offered(OTHER, 'w3'), OTHER)).toBe(false);
});
