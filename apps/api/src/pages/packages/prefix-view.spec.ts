import type { PackageStatus } from '@proctor/database';
import { packageStatus } from '@test/support/package-status';
import { countsOf, countsSentence, fittingPage, matrixView } from './prefix-view';

const targets = {
  suites: ['unstable', 'testing'],
  architectures: ['amd64', 'arm64'],
  neutral: 'pass' as const,
  staleBefore: new Date('2026-10-31T00:00:00Z'),
};

function status(name: string, place: string, change: Partial<PackageStatus> = {}): PackageStatus {
  const [suite = '', arch = ''] = place.split('/');
  return packageStatus(name, { suite, arch, ...change });
}
const latest = (verdict: PackageStatus['latest']['verdict']) => ({
  latest: { runId: 1, version: '1-1', date: new Date('2026-11-20T10:00:00Z'), verdict },
});

it('packages with trouble are rows, the worst first; others are names', () => {
  const old = { runId: 1, version: '1-1', date: new Date('2026-10-01T10:00:00Z'), verdict: 'pass' as const };
  const names = ['hal', 'hello', 'hexchat', 'host', 'hping', 'htop'];
  const statuses = [
    status('hal', 'unstable/amd64', { isFlaky: true }),
    status('hello', 'unstable/amd64'),
    status('hello', 'testing/arm64', latest('fail')),
    status('hexchat', 'unstable/amd64', latest('tmpfail')),
    status('host', 'unstable/amd64', { latest: old }),
    status('hping', 'unstable/amd64', latest('neutral')),
  ];
  const view = matrixView(names, statuses, targets);
  expect(view.rows.map(({ name, state }) => [name, state])).toEqual([
    ['hello', 'fail'],
    ['hexchat', 'tmpfail'],
    ['hal', 'flaky'],
    ['host', 'stale'],
  ]);
  expect(view.columns.map(({ place, failing }) => [place, failing])).toEqual([
    ['unstable/amd64', 0],
    ['testing/arm64', 1],
  ]);
  expect(view.rows[0]!.cells.map(({ word, label }) => [word, label])).toEqual([
    ['pass', 'pass: hello 1-1 on unstable/amd64'],
    ['fail', 'fail: hello 1-1 on testing/arm64'],
  ]);
  expect(view.rows[3]!.cells[0]).toMatchObject({
    marks: ['stale'],
    label: 'pass, stale: host 1-1 on unstable/amd64',
  });
  expect([view.passing, view.untested].map((list) => list.map(({ name }) => name))).toEqual([
    ['hping'],
    ['htop'],
  ]);
  expect(countsSentence(countsOf(names, statuses, targets))).toBe(
    '6 packages: 1 fails somewhere, 2 could not be tested or are flaky, 1 has an old result somewhere; 1 has no result yet.',
  );
});

it('a row has the last runs of the place where the package is worst', () => {
  const strip = [{ verdict: 'fail' as const, isNewVersion: false, isPinned: false }];
  const since = { runId: 1, version: '2-1', date: new Date('2026-11-20T10:00:00Z'), trigger: null };
  const failing = status('hello', 'testing/arm64', { ...latest('fail'), strip, failingSince: since });
  const { rows } = matrixView(['hello'], [status('hello', 'unstable/amd64'), failing], targets);
  expect(rows[0]!.worst).toEqual({
    place: 'testing/arm64',
    url: '/packages/h/hello/testing/arm64/',
    strip,
    since: '2-1',
  });
});

const none = { fail: 0, tmpfail: 0, flaky: 0, stale: 0, pass: 0, untested: 0 };

it.each([
  [{ untested: 1 }, '1 package, without any result yet.'],
  [{ pass: 1, untested: 1 }, '2 packages: all that were tested pass; 1 has no result yet.'],
  [{ fail: 700, pass: 300 }, '1000 packages: 700 fail somewhere.'],
  [{}, 'No package matches.'],
])('how many are in each state, %j, is said in a sentence', (counts, sentence) => {
  expect(countsSentence({ ...none, ...counts })).toBe(sentence);
});

it.each([
  ['trouble on few places', 'fail', 8, 283],
  ['trouble on many places', 'stale', 40, 77],
  ['trouble on more places than a page can show', 'fail', 10_000, 1],
  ['names without trouble', 'pass', 40, 500],
  ['names without results', 'untested', 40, 500],
] as const)('a page of %s ends before it weighs too much', (_of, state, places, count) => {
  const packages = Array.from({ length: 501 }, (_each, number) => ({ name: `p${number}`, state }));
  expect(fittingPage(packages, places)).toEqual(packages.slice(0, count));
  expect(fittingPage(packages.slice(0, count), places)).toHaveLength(count);
});
