import type { StatusReply } from '@proctor/contracts';
import type { ArchitectureHour } from '@proctor/database';
import { architectureView, lastHours, outcomesView } from './health-view';

const NOW = new Date('2026-11-20T15:40:00Z');
const times = lastHours(NOW);
const oldestAt = new Date('2026-11-20T14:00:00Z');
const hour = (changes: Partial<ArchitectureHour> = {}): ArchitectureHour => ({
  hour: new Date('2026-11-20T13:00:00Z'),
  arch: 'amd64',
  arrived: 0,
  pass: 0,
  neutral: 0,
  fail: 0,
  tmpfail: 0,
  busySeconds: 0,
  waiting: 0,
  oldestSeconds: 0,
  slots: 2,
  ...changes,
});
const queue = (suite: string, waiting: number) => ({ suite, arch: 'amd64', waiting, running: 1, oldestAt });
const status = (...emptyInMs: (number | null)[]): StatusReply => ({
  arch: 'amd64',
  epoch: 1,
  workers: [],
  queues: ['sid', 'trixie'].map((suite, index) => ({
    suite,
    waiting: 3,
    running: 1,
    paused: null,
    reasons: [],
    emptyInMs: emptyInMs[index] ?? null,
  })),
});
const facts = {
  queues: [queue('sid', 3), queue('trixie', 1)],
  hours: [],
  pauses: [],
  status: status(60_000, 7_200_000),
};

it('the last hours end with the present one', () => {
  expect([times.length, times[0], times.at(-1)]).toEqual([24, '2026-11-19T16:00Z', '2026-11-20T15:00Z']);
});

it('the outcomes of all architectures are added up', () => {
  const old = hour({ hour: new Date('2026-11-18T13:00:00Z'), fail: 9 });
  const hours = [old, hour({ pass: 3, fail: 1 }), hour({ arch: 'arm64', neutral: 2, tmpfail: 1 })];
  const view = outcomesView(hours, times);
  expect(view?.total).toMatchObject({ passed: 5, failed: 1, broken: 1 });
  expect(outcomesView([old], times)).toBeNull();
  expect(String(view?.chart)).toMatch(/class="pass" d="M[^"]+"/);
});

it('an architecture has its waiting and running tests, and the time until its queues are empty', () => {
  expect(architectureView('amd64', facts, times)).toMatchObject({
    arch: 'amd64',
    waiting: 4,
    running: 2,
    oldestAt,
    doneIn: 'about\u00a02\u00a0h',
  });
});

it.each([
  ['the dispatcher does not answer', { status: null }],
  ['a queue has no estimate', { status: status(60_000) }],
  ['a queue is paused', { pauses: [{ by: 'root', reason: 'x', since: '', suite: 'sid', arch: null }] }],
  ['nothing waits', { queues: [queue('sid', 0)] }],
])('no end is expected when %s', (_what, changes) => {
  expect(architectureView('amd64', { ...facts, ...changes }, times)).toMatchObject({ doneIn: '' });
});

it('an architecture that had nothing to do is not shown, one that had some hours ago is', () => {
  const idle = { queues: [], pauses: [], status: null };
  expect(
    architectureView('amd64', { ...idle, hours: [hour(), hour({ arch: 'arm64', waiting: 3 })] }, times),
  ).toBeNull();
  const view = architectureView('amd64', { ...idle, hours: [hour({ busySeconds: 1_800 })] }, times);
  expect(view).toMatchObject({ waiting: 0, running: 0, oldestAt: null, doneIn: '' });
});
