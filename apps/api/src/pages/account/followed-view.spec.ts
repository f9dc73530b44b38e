import type { PackageStatus } from '@proctor/database';
import { packageStatus as status } from '@test/support/package-status';
import { type Followed, followedEntries, followedView } from './followed-view';

const day = (date: number): Date => new Date(Date.UTC(2026, 10, date));
const TARGETS = {
  suites: ['sid'],
  architectures: ['amd64'],
  neutral: 'pass' as const,
  staleBefore: new Date(Date.UTC(2026, 9, 1)),
};

const failing = (name: string, date: number): PackageStatus =>
  status(name, {
    latest: { runId: 9, version: '2-1', date: day(20), verdict: 'fail' },
    failingSince: { runId: 5, version: '1-2', date: day(date), trigger: 'glibc/2.40-4' },
  });

function followed(statuses: PackageStatus[], patterns = ['*']): Followed {
  return {
    patterns,
    runs: [],
    triggers: [],
    packages: statuses.map((each) => each.package),
    hasMore: false,
    statuses,
  };
}

it('of the packages that are followed, those that fail come first, the latest of them before others', () => {
  const { places } = followedView(
    followed([
      status('shaky', { isFlaky: true }),
      failing('early', 2),
      status('well'),
      status('broken', { latest: { runId: 3, version: '1-1', date: day(4), verdict: 'tmpfail' } }),
      failing('late', 9),
    ]),
    TARGETS,
  );
  expect(places.map((place) => `${place.package} ${place.word}`)).toEqual([
    'late fail',
    'early fail',
    'broken tmpfail',
    'shaky flaky',
  ]);
  expect(places[0]).toMatchObject({
    packageUrl: '/packages/l/late/',
    url: '/packages/l/late/sid/amd64/',
    runUrl: '/packages/l/late/sid/amd64/9/',
    since: day(9),
    failingVersion: '1-2',
  });
});

it('names that are followed before there is a public run are distinguished from patterns', () => {
  const view = followedView(followed([status('hello')], ['hello', 'unheard-of', 'python3-*']), TARGETS);
  expect(view.unknown).toEqual(['unheard-of']);
  expect(followedView(followed([], []), TARGETS).sentence).toBe('You follow no package yet.');
});

it('a feed of followed packages has what changed, newest first', () => {
  const again = { runId: 7, version: '2-2', date: day(12), trigger: null };
  expect(
    followedEntries([failing('hello', 9), status('never-failed'), status('sed', { recovered: again })]),
  ).toEqual([
    {
      path: '/packages/s/sed/sid/amd64/7/',
      title: 'sed 2-2 passes again on sid/amd64',
      text: '2026-11-12T00:00:00.000Z',
      date: day(12),
    },
    {
      path: '/packages/h/hello/sid/amd64/5/',
      title: 'hello 1-2 began to fail on sid/amd64',
      text: 'Trigger: glibc/2.40-4',
      date: day(9),
    },
  ]);
});
