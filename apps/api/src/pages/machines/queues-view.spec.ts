import type { QueueResource } from '@proctor/resources';
import { queueEntries, queuesView } from './queues-view';

const queue = (change: Partial<QueueResource> = {}): QueueResource => ({
  suite: 'sid',
  arch: 'amd64',
  waiting: 3,
  running: 1,
  oldest_at: '2026-11-20T15:40:51.123Z',
  rate_per_hour: 12,
  wait_seconds: 240,
  estimate_seconds: 900,
  paused: null,
  reasons: ['all 2 suitable slots are busy'],
  ...change,
});
const decision = { by: 'root', reason: 'disk full', since: '2026-11-20T15:40:51.123Z' };

it('the page of the queues shows how much waits, which queue needs longest, and how many have no expected end', () => {
  const queues = [
    queue(),
    queue({ arch: 'armhf', waiting: 40, estimate_seconds: 18_000 }),
    queue({ arch: 'arm64', estimate_seconds: null }),
    queue({ suite: 'trixie', waiting: 0, running: 0 }),
  ];
  const { sentence, rows, idle } = queuesView(queues);
  expect(sentence).toBe(
    '46 runs are waiting, 3 are running. sid/armhf takes longest: about\u00a05\u00a0h. 1 queue cannot make progress.',
  );
  expect(rows.map(({ arch, left }) => [arch, left])).toEqual([
    ['amd64', 'about\u00a015\u00a0min'],
    ['armhf', 'about\u00a05\u00a0h'],
    ['arm64', 'unknown'],
  ]);
  expect(rows[0]).toMatchObject({ wait: '4\u00a0min', perHour: 12, reasons: queue().reasons });
  expect(idle).toEqual(['trixie/amd64']);
});

it('the page of the queues says who paused one, whether its dispatcher knows or not', () => {
  const { rows } = queuesView([queue({ paused: decision, reasons: [] })]);
  expect(rows[0]!.reasons).toEqual(['paused by root (since 2026-11-20 15:40:51 UTC): disk full']);
});

it('the row of a queue ends its own pause, otherwise the earliest that holds it', () => {
  const pause = (suite: string | null, arch: string | null, since: string) =>
    Object.assign({}, decision, { suite, arch, since });
  const pauses = [
    pause('sid', 'amd64', '2026-11-22T10:00:00.000Z'),
    pause('sid', null, '2026-11-21T10:00:00.000Z'),
    pause(null, 'arm64', '2026-11-20T10:00:00.000Z'),
  ];
  const queues = [queue(), queue({ arch: 'arm64' }), queue({ suite: 'trixie' })];
  expect(queuesView(queues, pauses).rows.map((row) => row.pause)).toEqual([
    { suite: 'sid', arch: 'amd64', scope: 'queue sid/amd64' },
    { suite: '', arch: 'arm64', scope: 'every suite on arm64' },
    undefined,
  ]);
});

it('the page of the queues says that nothing is under way', () => {
  expect(queuesView([queue({ waiting: 0, running: 0 })])).toEqual({
    sentence: 'Nothing is waiting or running.',
    rows: [],
    idle: ['sid/amd64'],
  });
  expect(queuesView([queue({ waiting: 0 })]).rows[0]).toMatchObject({ left: '' });
});

it('the feed of the queues says where runs wait, and has each pause as a new entry', () => {
  const paused = { ...decision, since: '2026-11-21T10:00:00.000Z' };
  const queues = [
    queue(),
    queue({ arch: 'arm64', paused, waiting: 0, running: 0, oldest_at: null, estimate_seconds: 0 }),
    queue({ arch: 'armhf', waiting: 0, oldest_at: null }),
  ];
  expect(queueEntries(queues)).toEqual([
    {
      path: '/status/queue/#sid/arm64/paused/2026-11-21T10:00:00.000Z',
      title: 'sid/arm64 is paused',
      text: 'Waiting because: paused by root (since 2026-11-21 10:00:00 UTC): disk full.',
      date: new Date('2026-11-21T10:00:00.000Z'),
    },
    {
      path: '/status/queue/#sid/amd64',
      title: 'sid/amd64 has waiting runs',
      text: '3 runs are waiting, 1 is running. Done in: about\u00a015\u00a0min. Waiting because: all 2 suitable slots are busy.',
      date: new Date('2026-11-20T15:40:51.123Z'),
    },
  ]);
});
