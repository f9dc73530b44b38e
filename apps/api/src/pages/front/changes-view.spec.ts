import type { ListedStatus, PackageStatus } from '@proctor/database';
import { packageStatus } from '@test/support/package-status';
import { changesView } from './changes-view';

const change = { trigger: null, runId: 5, version: '2-1', date: new Date('2026-11-20T10:00:00Z') };
const listed = (name: string, changes: Partial<PackageStatus>): ListedStatus => ({
  ...packageStatus(name, changes),
  message: null,
});

it('architectures of a suite on which a version fails are one change, with the run of each', () => {
  const older = { ...change, runId: 4, date: new Date('2026-11-20T09:00:00Z') };
  const { failing, passing } = changesView([
    listed('hello', { arch: 'armhf', failingSince: change }),
    listed('hello', { arch: 'amd64', failingSince: older }),
    listed('hello', { suite: 'trixie', failingSince: older }),
    listed('hello', { suite: 'forky', failingSince: { ...older, version: '1-1' } }),
    listed('zlib', { recovered: change }),
  ]);
  expect(failing.map(({ suite, version }) => [suite, version])).toEqual([
    ['sid', '2-1'],
    ['trixie', '2-1'],
    ['forky', '1-1'],
  ]);
  expect(failing[0]).toMatchObject({
    package: 'hello',
    packageUrl: '/packages/h/hello/',
    at: change.date,
    places: [
      { arch: 'amd64', runUrl: '/packages/h/hello/sid/amd64/4/' },
      { arch: 'armhf', runUrl: '/packages/h/hello/sid/armhf/5/' },
    ],
  });
  expect(passing.map((each) => each.package)).toEqual(['zlib']);
});

it('of each kind, only the newest changes are shown', () => {
  const many = Array.from({ length: 9 }, (_, index) => listed(`hello${index}`, { failingSince: change }));
  const { failing, passing } = changesView([...many, listed('zlib', { recovered: change })]);
  expect(failing.map((each) => each.package)).toEqual(many.slice(0, 5).map((each) => each.package));
  expect(passing).toHaveLength(1);
});
