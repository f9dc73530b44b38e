import type { QueueStatus, StatusReply } from '@proctor/contracts';
import { queueObjects } from './queue-object';
import type { QueueFacts } from './queue-object';

const deployment = { suites: ['trixie', 'bookworm'], architectures: ['amd64'] };
const oldestAt = new Date('2026-11-20T15:40:51.123Z');
const since = '2026-11-20T15:00:00.000Z';

const news = (changes: Partial<QueueFacts> = {}): QueueFacts => ({
  lengths: [{ suite: 'trixie', arch: 'amd64', waiting: 10, running: 2, oldestAt }],
  rates: [{ suite: 'trixie', arch: 'amd64', perHour: 7, waitSeconds: 40 }],
  pauses: [],
  statuses: new Map([['amd64', null]]),
  ...changes,
});

function answering(queue: Partial<QueueStatus>): Map<string, StatusReply> {
  const queueStatus = {
    suite: 'trixie',
    waiting: 10,
    running: 2,
    emptyInMs: 0,
    paused: null,
    reasons: [],
    ...queue,
  };
  return new Map([['amd64', { arch: 'amd64', epoch: 1, workers: [], queues: [queueStatus] }]]);
}

const trixie = (changes: Partial<QueueFacts>) => queueObjects(deployment, news(changes))[1]!;

it('every queue of the deployment is shown, and others that have runs left', () => {
  const formerQueue = { suite: 'gone', arch: 'amd64', waiting: 0, running: 1, oldestAt: null };
  const { lengths } = news();
  const queues = queueObjects(deployment, news({ lengths: [...lengths, formerQueue] }));
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
    wait_seconds: 40,
    estimate_seconds: 5_143,
    paused: null,
    reasons: ['no scheduler answers for amd64'],
  });
  expect(queues[0]).toMatchObject({
    waiting: 0,
    running: 0,
    oldest_at: null,
    rate_per_hour: 0,
    wait_seconds: null,
    estimate_seconds: 0,
    reasons: [],
  });
});

it('nothing is estimated where nothing finishes', () => {
  expect(trixie({ rates: [] }).estimate_seconds).toBeNull();
});

it('a queue says what the dispatcher expects and why, when it answers', () => {
  const reasons = ['all 2 slots are busy'];
  expect(trixie({ statuses: answering({ emptyInMs: 61_200, reasons }) })).toMatchObject({
    estimate_seconds: 62,
    reasons,
  });
  expect(trixie({ statuses: answering({ emptyInMs: null }) }).estimate_seconds).toBeNull();
  expect(trixie({ statuses: answering({ suite: 'other' }) })).toMatchObject({
    estimate_seconds: 5_143,
    reasons: [],
  });
});

describe('pauses', () => {
  const pause = (suite: string | null, arch: string | null, by: string, at = since) => {
    return { suite, arch, by, reason: 'the mirror is away', since: at };
  };

  it.each([
    ['everything', pause(null, null, 'root'), true],
    ['the suite', pause('trixie', null, 'root'), true],
    ['the architecture', pause(null, 'amd64', 'root'), true],
    ['the queue', pause('trixie', 'amd64', 'root'), true],
    ['another suite', pause('bookworm', null, 'root'), false],
    ['another architecture', pause('trixie', 'arm64', 'root'), false],
  ])('a queue shows a pause of %s only if that holds it', (_what, each, isHeld) => {
    const { paused, estimate_seconds } = trixie({ pauses: [each] });
    expect(paused).toEqual(isHeld ? { by: 'root', reason: 'the mirror is away', since } : null);
    expect(estimate_seconds).toBe(isHeld ? null : 5_143);
  });

  it('the pause that began first is shown', () => {
    const pauses = [
      pause('trixie', null, 'second', '2026-11-20T15:00:01.000Z'),
      pause(null, null, 'first'),
      pause(null, 'amd64', 'third', '2026-11-21T00:00:00.000Z'),
    ];
    expect(trixie({ pauses }).paused?.by).toBe('first');
  });
});
