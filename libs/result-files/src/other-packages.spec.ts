import { runRecord } from '@test/support/run-record';
import { unrequestedSuites } from './other-packages';

const listed = (
  run: Parameters<typeof runRecord>[0],
  suites: Record<string, string>,
  versions: Record<string, string> = {},
) => {
  const added = new Map(Object.keys(suites).map((name) => [name, versions[name] ?? '1']));
  const packages = { added, suites: new Map(Object.entries(suites)) };
  return unrequestedSuites(runRecord({ suite: 'trixie', trigger: 'glibc/2.41-1 perl/5', ...run }), packages);
};

it('of a suite that was not requested the packages are listed that the trigger or the pins name, and those of a named source', () => {
  const suites = { perl: 'sid', libc6: 'sid', curl: 'sid', ssl: 'trixie-backports' };
  expect(listed({ pinPackages: [['src:ssl', 'forky']] }, suites, { libc6: '2.41-1+b2' })).toEqual([
    { suite: 'sid', packages: ['libc6', 'perl'], more: 0 },
    { suite: 'trixie-backports', packages: ['ssl'], more: 0 },
  ]);
  expect(listed({ package: 'curl', version: '1' }, { curl: 'sid' })).toHaveLength(1);
});

it.each([
  ['trixie', 'trixie', true],
  ['trixie', 'trixie-security', true],
  ['trixie', 'trixie-updates', true],
  ['trixie', 'trixie-proposed-updates', true],
  ['trixie', 'trixie-backports', false],
  ['trixie', 'sid', false],
  ['trixie', 'bookworm-security', false],
  ['trixie-backports', 'trixie-security', true],
  ['buster', 'buster/updates', true],
  ['unstable', 'sid', true],
  ['sid', 'unstable', true],
  ['sid', 'experimental', false],
  ['experimental', 'unstable', true],
  ['testing', 'sid', false],
  ['sid', 'testing', false],
  ['testing', 'stable', false],
  // Which codename these stand for is not known.
  ['testing', 'forky', true],
  ['trixie', 'stable-security', true],
])('for a run on %s, a package from %s can be what was asked for: %s', (suite, from, isAllowed) => {
  expect(listed({ suite }, { perl: from })).toHaveLength(isAllowed ? 0 : 1);
});

it('a pinned suite was asked for, and with extra apt sources it is not known what was', () => {
  expect(listed({ pinPackages: [['src:perl', 'unstable']] }, { perl: 'sid' })).toEqual([]);
  expect(listed({ extraAptSources: ['ours'] }, { perl: 'sid' })).toEqual([]);
});

it('of many packages and suites that were not requested the first are listed, with the number of the others', () => {
  const names = Array.from({ length: 25 }, (_, place) => `lib${String(place).padStart(2, '0')}`);
  const versions = Object.fromEntries(names.map((name) => [name, '2.41-1']));
  const [suite] = listed({}, Object.fromEntries(names.map((name) => [name, 'sid'])), versions);
  expect(suite).toEqual({ suite: 'sid', packages: names.slice(0, 20), more: 5 });
  expect(listed({}, Object.fromEntries(names.map((name) => [name, `from-${name}`])), versions)).toHaveLength(
    10,
  );
});
