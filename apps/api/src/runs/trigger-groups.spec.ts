import type { RunOfTrigger } from '@proctor/database';
import { runRecord } from '@test/support/run-record';
import { atOnce } from '../http/slices';
import { triggerProgress } from './trigger-groups';

const DAY_MS = 86_400_000;
const endedAt = new Date('2026-11-20T12:00:00Z');

function run(name: string, change: Partial<RunOfTrigger> = {}): RunOfTrigger {
  return { ...runRecord(), reference: null, errorSignature: null, package: name, arch: 'amd64', ...change };
}

function failedRun(name: string, verdict: 'pass' | 'neutral' | 'fail', daysBefore: number): RunOfTrigger {
  const date = new Date(endedAt.getTime() - daysBefore * DAY_MS);
  const reference = { runId: 1, verdict, version: '1', date };
  return run(name, { state: 'finished', verdict: 'fail', finishedAt: endedAt, reference });
}

const progressOf = (...of: Parameters<typeof triggerProgress>) => atOnce(triggerProgress(...of));

const NONE = { passed: 0, failed: 0, broken: 0, untested: 0, running: 0, waiting: 0 };

const queued = { state: 'queued', verdict: null, finishedAt: null } as const;
const end = { state: 'finished', finishedAt: endedAt } as const;

describe('the tests of a trigger', () => {
  it('a trigger of 30,000 runs is summarised in pieces of at most 500 runs', () => {
    const work = triggerProgress(
      Array.from({ length: 30_000 }, (_, place) => run(`package-${place}`, queued)),
      [],
    );
    let pieces = 0;
    while (!work.next().done) pieces += 1;
    expect(pieces).toBeGreaterThanOrEqual(60);
  });

  it('the group of each test follows from its run and a fresh reference together', () => {
    const { tests, counts, total, done } = progressOf(
      [
        run('waiting', queued),
        run('passed', { ...end, verdict: 'pass' }),
        run('empty', { ...end, verdict: 'neutral' }),
        failedRun('regression', 'pass', 1),
        failedRun('regression2', 'neutral', 14),
        failedRun('before', 'fail', 1),
        failedRun('stale', 'pass', 15),
        run('new', { ...end, verdict: 'fail' }),
        run('broken', { ...end, verdict: 'tmpfail' }),
        run('absent', { ...end, verdict: 'absent' }),
        run('cancelled', { ...end, verdict: 'tmpfail', cancelled: true }),
        run('passed', { ...end, verdict: 'fail' }),
      ],
      [],
    );
    expect(tests.map(({ group, run }) => `${group} ${run.package}`)).toEqual([
      'regression regression',
      'regression regression2',
      'unknown stale',
      'unknown new',
      'as-before before',
      'infrastructure broken',
      'absent absent',
      'waiting waiting',
      'passed passed',
      'passed empty',
      'superseded cancelled',
      'superseded passed',
    ]);
    expect(counts).toMatchObject({ regression: 2, unknown: 2, passed: 2, superseded: 2 });
    expect([total, done]).toEqual([10, 9]);
  });

  it('an architecture is done when the slowest of the queues is in which its tests wait', () => {
    const { arches } = progressOf(
      [
        run('a', { ...queued, suite: 'sid' }),
        run('b', { ...queued, suite: 'trixie' }),
        run('c', { ...queued, suite: 'sid', arch: 'arm64' }),
        run('d', { ...end, verdict: 'pass', arch: 'armhf' }),
      ],
      [
        { suite: 'sid', arch: 'amd64', estimate_seconds: 60, reasons: ['all slots are busy'] },
        {
          suite: 'trixie',
          arch: 'amd64',
          estimate_seconds: 90,
          reasons: ['all slots are busy', 'it is paused'],
        },
        { suite: 'sid', arch: 'arm64', estimate_seconds: null, reasons: [] },
        { suite: 'other', arch: 'armhf', estimate_seconds: 900, reasons: ['nothing of this trigger'] },
      ],
    );
    const outcomes = { ...NONE, waiting: 1 };
    const reasons = ['all slots are busy', 'it is paused'];
    expect(arches).toEqual([
      {
        arch: 'amd64',
        total: 2,
        waiting: 2,
        estimateSeconds: 90,
        outcomes: { ...NONE, waiting: 2 },
        reasons,
      },
      { arch: 'arm64', total: 1, waiting: 1, estimateSeconds: null, outcomes, reasons: [] },
      {
        arch: 'armhf',
        total: 1,
        waiting: 0,
        estimateSeconds: 0,
        outcomes: { ...NONE, passed: 1 },
        reasons: [],
      },
    ]);
  });
});
