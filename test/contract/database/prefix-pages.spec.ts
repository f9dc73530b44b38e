import type { PackageOfPrefix, PrefixFilter } from '@proctor/database';
import { ARCH } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';
import { Runs } from './runs';

const all: PrefixFilter = {
  state: null,
  suite: null,
  arch: null,
  staleBefore: new Date('2026-11-01T00:00:00Z'),
};

let fixture: Fixture;

beforeAll(async () => {
  fixture = await setUp();
  const runs = new Runs(() => fixture);
  for (const [name, suite, verdict, time] of [
    ['ha', 'bookworm', 'pass', '2026-11-20'],
    ['hb', 'bookworm', 'pass', '2026-10-20'],
    ['hc', 'bookworm', 'pass', '2026-11-20'],
    ['hc', 'trixie', 'fail', '2026-10-20'],
    ['hd', 'bookworm', 'tmpfail', '2026-11-20'],
    ['he', 'trixie', 'fail', '2026-11-20'],
    ['hf', 'bookworm', 'neutral', '2026-11-20'],
    ['other', 'bookworm', 'fail', '2026-11-20'],
  ] as const)
    await runs.endedAt(await runs.finished({ package: name, suite }, verdict), time);
  await runs.waiting({ package: 'hg' });
  await runs.waiting({ package: 'hidden', isPrivate: true });
  while (await fixture.database.statusProjection.step(ARCH));
  await fixture.client.query(`update package_statuses set is_flaky = true where package = 'hf'`);
});
afterAll(() => fixture.close());

async function part(change: Partial<PrefixFilter>, limit = 10): Promise<string[]> {
  const { packages } = await fixture.database.prefixPages.part('h', { ...all, ...change }, limit, null);
  return packages.map(({ name, state }) => `${name} ${state}`);
}

const WORST_FIRST = ['hc fail', 'he fail', 'hd tmpfail', 'hf flaky', 'hb stale', 'ha pass', 'hg untested'];

it('the packages of a prefix come the worst first, over the whole prefix, whatever a part holds', async () => {
  const { prefixPages } = fixture.database;
  expect(await part({})).toEqual(WORST_FIRST);
  const packages: string[] = [];
  let after: PackageOfPrefix | null = null;
  do {
    const next: PackageOfPrefix[] = (await prefixPages.part('h', all, 2, after)).packages;
    packages.push(...next.map(({ name, state }) => `${name} ${state}`));
    after = next.at(-1) ?? null;
  } while (after !== null);
  expect(packages).toEqual(WORST_FIRST);
});

it('all packages of a prefix are counted, however many a part has', async () => {
  const { counts } = await fixture.database.prefixPages.part('h', all, 1, null);
  expect(counts).toEqual({ fail: 2, tmpfail: 1, flaky: 1, stale: 1, pass: 1, untested: 1 });
});

it('packages of a prefix are asked for by a state on some place, and by the places that are looked at', async () => {
  expect(await part({ state: 'fail' })).toEqual(['hc fail', 'he fail']);
  expect(await part({ state: 'pass' })).toEqual(['hc fail', 'ha pass']);
  expect(await part({ state: 'untested' })).toEqual(['hg untested']);
  expect(await part({ suite: 'trixie', state: 'fail' })).toEqual(['hc fail', 'he fail']);
  expect(await part({ suite: 'bookworm', state: 'fail' })).toEqual([]);
  expect(await part({ arch: 'riscv64', state: 'untested' }, 1)).toEqual(['ha untested']);
});

it('the places of a prefix have the number of packages that fail there', async () => {
  const { prefixPages } = fixture.database;
  expect(await prefixPages.places('h', { suite: null, arch: null })).toEqual([
    { suite: 'bookworm', arch: ARCH, failing: 0 },
    { suite: 'trixie', arch: ARCH, failing: 2 },
  ]);
  expect(await prefixPages.places('h', { suite: 'trixie', arch: null })).toHaveLength(1);
});
