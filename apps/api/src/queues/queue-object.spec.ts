import { queueObjects } from './queue-object';

const deployment = { suites: ['trixie', 'bookworm'], architectures: ['amd64'] };
const oldestAt = new Date('2026-11-20T15:40:51.123Z');

it('shows every queue of the deployment, and others that have runs left', () => {
  const queues = queueObjects(
    deployment,
    [
      { suite: 'trixie', arch: 'amd64', waiting: 10, running: 2, oldestAt },
      { suite: 'gone', arch: 'amd64', waiting: 0, running: 1, oldestAt: null },
    ],
    [{ suite: 'trixie', arch: 'amd64', perHour: 7 }],
  );
  expect(queues.map(({ suite, arch }) => `${suite}/${arch}`)).toEqual([
    'bookworm/amd64',
    'gone/amd64',
    'trixie/amd64',
  ]);
  expect(queues[2]).toEqual({
    suite: 'trixie',
    arch: 'amd64',
    waiting: 10,
    running: 2,
    oldest_at: '2026-11-20T15:40:51.123Z',
    rate_per_hour: 7,
    estimate_seconds: 5_143,
    paused: null,
  });
  expect(queues[0]).toMatchObject({
    waiting: 0,
    running: 0,
    oldest_at: null,
    rate_per_hour: 0,
    estimate_seconds: 0,
  });
});

it('estimates nothing where nothing finishes', () => {
  const [queue] = queueObjects(
    { suites: ['sid'], architectures: ['amd64'] },
    [{ suite: 'sid', arch: 'amd64', waiting: 1, running: 0, oldestAt }],
    [],
  );
  expect(queue!.estimate_seconds).toBeNull();
});
