import type { PackageStatus } from '@proctor/database';
import { packageStatus } from '../../../../../test/support/package-status';
import { prefixView } from './prefix-view';

const targets = {
  suites: ['unstable', 'testing'],
  architectures: ['amd64', 'arm64'],
  neutral: 'pass' as const,
};

function status(name: string, place: string, change: Partial<PackageStatus> = {}): PackageStatus {
  const [suite = '', arch = ''] = place.split('/');
  return packageStatus(name, { suite, arch, ...change });
}
const ended = (verdict: PackageStatus['latest']['verdict']) => ({
  latest: { runId: 1, version: '1-1', date: new Date('2026-11-20T10:00:00Z'), verdict },
});

it('packages with trouble are rows, the failing ones first; others are names', () => {
  const view = prefixView(
    ['hal', 'hello', 'hexchat', 'hping', 'htop'],
    [
      status('hal', 'unstable/amd64', { isFlaky: true }),
      status('hello', 'unstable/amd64'),
      status('hello', 'testing/arm64', ended('fail')),
      status('hexchat', 'unstable/amd64', ended('tmpfail')),
      status('hping', 'unstable/amd64', ended('neutral')),
    ],
    targets,
  );
  expect(view.rows.map(({ name, state }) => [name, state])).toEqual([
    ['hello', 'fail'],
    ['hexchat', 'tmpfail'],
    ['hal', 'flaky'],
  ]);
  expect(view.columns.map(({ place, failing }) => [place, failing])).toEqual([
    ['unstable/amd64', 0],
    ['testing/arm64', 1],
  ]);
  expect(view.rows[0]!.cells.map(({ word, label }) => [word, label])).toEqual([
    ['pass', 'pass: hello 1-1 on unstable/amd64'],
    ['fail', 'fail: hello 1-1 on testing/arm64'],
  ]);
  expect([view.passing, view.untested].map((list) => list.map(({ name }) => name))).toEqual([
    ['hping'],
    ['htop'],
  ]);
  expect(view.sentence).toBe(
    '5 packages: 1 fails somewhere, 2 could not be tested or are flaky; 1 has no result yet.',
  );
});

it.each([
  [['a'], [], '1 package, none of which has a result yet.'],
  [['a', 'b'], [status('a', 'x/y')], '2 packages: all that were tested pass; 1 has no result yet.'],
])('a list of %j says what there is in a sentence', (names, statuses, sentence) => {
  expect(prefixView(names, statuses, targets).sentence).toBe(sentence);
});
