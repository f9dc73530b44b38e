import type { FinishedReport } from '@proctor/contracts';
import { DispatcherRig } from '@test/support/dispatcher-rig';
import { finishedReport, leaseRequest, waitingRun } from '@test/support/runs';
import type { DispatchedRun } from './journal-records';
import type { DispatchSettings } from './settings';

/** One run, whose attempts end as tmpfail. */
class Bench extends DispatcherRig {
  constructor(run: Partial<DispatchedRun> = {}, changes: Partial<DispatchSettings> = {}) {
    super([waitingRun(1, run)], changes);
  }

  /** The attempt that w1 is granted, if any. */
  granted(): number | undefined {
    return this.ask().reply.lease?.attempt;
  }

  report(attempt: number, changes: Partial<FinishedReport> = {}) {
    return this.send({ kind: 'finished', report: tmpfail(attempt, changes) });
  }

  mayFinish(attempt: number) {
    return this.send({ kind: 'may-finish', report: tmpfail(attempt) });
  }
}

function tmpfail(attempt: number, changes: Partial<FinishedReport> = {}): FinishedReport {
  const files = [{ name: 'log.gz' as const, size: 3, sha256: '' }];
  const failure = { verdict: 'tmpfail', exitCode: 16, message: 'the testbed failed', files } as const;
  return finishedReport(1, attempt, { ...failure, files, ...changes });
}

const LOST_HERE = { latestWorker: 'w1', attempt: 1 };

it('an attempt that ends as tmpfail is stored, and its run is tried again after a while', () => {
  const bench = new Bench();
  bench.ask();
  const { writes, reply } = bench.report(1);
  expect(reply).toBe('counts');
  expect(writes).toEqual([
    {
      kind: 'requeue',
      runId: 1,
      attempt: 1,
      outcome: 'failed',
      reason: 'the testbed failed',
      result: {
        verdict: 'tmpfail',
        message: 'the testbed failed',
        exitCode: 16,
        version: '1.0-1',
        durationSeconds: 7,
        files: [{ name: 'log.gz', size: 3 }],
        tests: [],
      },
    },
  ]);
  bench.tick(29_999);
  expect(bench.granted()).toBeUndefined();
  expect(bench.tick(1).workWaiting).toBe(true);
  expect(bench.granted()).toBe(2);
});

it.each([
  ['ran into a limit of its worker', 'limit', "ended after 8.0 h by the worker's limit"],
  ['asks for what no worker does', 'request', 'the request is refused: the package "-x" is not safe'],
] as const)(
  'an attempt ends its run at once when it %s, with what it left, and is held against no worker',
  (_, trouble, message) => {
    const bench = new Bench();
    bench.ask();
    const tests = [{ name: 'unit', status: 'PASS', detail: null } as const];
    expect(bench.report(1, { message, exitCode: null, trouble, tests }).writes).toMatchObject([
      {
        kind: 'finish',
        attempt: 1,
        attemptOutcome: 'finished',
        worker: 'w1',
        outcome: { verdict: 'tmpfail', message, exitCode: null, tests },
      },
    ]);
  },
);

it.each([
  ['what it left', 'x'.repeat(2000), 'x'.repeat(1981)],
  ['no half of a character', '\u{1f600}'.repeat(1000), `${'\u{1f600}'.repeat(990)}\ufffd`],
])(
  'an attempt that ends as tmpfail ends its run when it was the last allowed, with %s',
  (_what, message, sentence) => {
    const bench = new Bench();
    for (const attempt of [1, 2]) {
      expect(bench.granted()).toBe(attempt);
      bench.report(attempt);
      bench.tick(600_000);
    }
    bench.ask();
    expect(bench.report(3, { message, exitCode: 20 }).writes).toMatchObject([
      {
        kind: 'finish',
        attempt: 3,
        attemptOutcome: 'finished',
        worker: 'w1',
        outcome: {
          verdict: 'tmpfail',
          message: `${sentence} (after 3 attempts)`,
          exitCode: 20,
          files: [{ name: 'log.gz', size: 3 }],
        },
      },
    ]);
    expect(bench.report(3).reply).toBe('unknown');
  },
);

it('an attempt is not said to be one of many when only one is allowed', () => {
  const bench = new Bench({}, { retry: { attemptsMax: 1, delayMs: 1, delayMaxMs: 1 } });
  bench.ask();
  expect(bench.report(1).writes).toMatchObject([
    { kind: 'finish', outcome: { message: 'the testbed failed' } },
  ]);
});

it('an attempt that ends as tmpfail counts with those that expired', () => {
  const bench = new Bench();
  bench.ask();
  bench.tick(60_000);
  bench.tick(30_000);
  bench.ask();
  bench.report(2);
  bench.tick(60_000);
  bench.ask();
  expect(bench.tick(60_000).writes).toMatchObject([
    {
      kind: 'finish',
      attemptOutcome: 'expired',
      outcome: { message: 'no result after 3 attempts: worker w1 was silent for 60 s' },
    },
  ]);
});

it('an attempt that ends as tmpfail and had expired before counts once', () => {
  const bench = new Bench();
  bench.ask();
  bench.tick(60_000);
  expect(bench.report(1).writes).toMatchObject([{ kind: 'requeue', attempt: 1, outcome: 'failed' }]);
  expect(bench.state.runs.find(1)).toMatchObject({ attemptsLost: 1, failedOn: ['w1'] });
  bench.tick(30_000);
  expect(bench.granted()).toBe(2);
});

it('an attempt that ends as tmpfail and was handed back before counts', () => {
  const bench = new Bench();
  bench.ask();
  const { worker, incarnation, slot } = leaseRequest();
  bench.send({
    kind: 'return',
    request: { worker, incarnation, slot, runId: 1, attempt: 1, reason: 'the worker stops' },
  });
  bench.report(1);
  expect(bench.state.runs.find(1)).toMatchObject({ attemptsLost: 1, failedOn: ['w1'] });
});

it('an attempt that ends as tmpfail is reported once: a second report says nothing new, also after a reload', () => {
  const bench = new Bench();
  bench.ask();
  bench.report(1);
  expect(bench.report(1)).toEqual({ writes: [], reply: 'reported' });
  expect(bench.mayFinish(1).reply).toBe('reported');
  expect(bench.report(1, { worker: 'w2' }).reply).toBe('foreign');
  const later = new Bench({ ...LOST_HERE, attemptsLost: 1, failedOn: ['w1'], latestFailed: true });
  expect(later.report(1)).toEqual({ writes: [], reply: 'reported' });
  expect(later.granted()).toBe(2);
  expect(later.report(1).reply).toBe('stale');
  expect(later.report(2).reply).toBe('counts');
});

it('a second report of an attempt that ends as tmpfail does not hold its run back', () => {
  const bench = new Bench();
  bench.ask();
  bench.report(1);
  bench.tick(29_999);
  bench.mayFinish(1);
  bench.tick(1);
  expect(bench.granted()).toBe(2);
});

it.each(['pass', 'fail', 'neutral'] as const)('the verdict %s ends a run at once', (verdict) => {
  const bench = new Bench();
  bench.ask();
  expect(bench.report(1, { verdict }).writes).toMatchObject([
    { kind: 'finish', attemptOutcome: 'finished', outcome: { verdict, message: 'the testbed failed' } },
  ]);
});

it.each([
  [1, 30_000],
  [2, 60_000],
  [3, 120_000],
  [4, 125_000],
])('after failure %i a run waits %i ms', (failures, ms) => {
  const bench = new Bench(
    { ...LOST_HERE, attemptsLost: failures - 1 },
    { retry: { attemptsMax: 9, delayMs: 30_000, delayMaxMs: 125_000 } },
  );
  bench.ask();
  bench.report(2);
  bench.tick(ms - 1);
  expect(bench.granted()).toBeUndefined();
  bench.tick(1);
  expect(bench.granted()).toBe(3);
});

describe('a package that crashes the runner or its testbed in each testbed', () => {
  const crash = { message: 'the test runner failed: KeyError: 0x7f3a', exitCode: 20 } as const;

  const UNDER_TEST = 'the testbed failed under the test a: testbed failure: unexpected eof from the testbed';

  /** The writes of its last attempt, of attempts that end so. */
  function ends(attempts: Partial<FinishedReport>[], attemptsMax = attempts.length): unknown[] {
    const bench = new Bench({}, { retry: { attemptsMax, delayMs: 30_000, delayMaxMs: 30_000 } });
    let writes: unknown[] = [];
    for (const [place, changes] of attempts.entries()) {
      const worker = changes.worker ?? 'w1';
      expect(bench.ask({ worker }).reply.lease?.attempt).toBe(place + 1);
      writes = bench.report(place + 1, { ...crash, ...changes }).writes;
      bench.tick(600_000);
    }
    return writes;
  }

  it.each<[string, Partial<FinishedReport>[]]>([
    ['on two workers', [{ worker: 'w1' }, { worker: 'w2' }]],
    ['in three testbeds of one', [{}, {}, {}]],
    ['under its tests', Array<Partial<FinishedReport>>(3).fill({ exitCode: 16, message: UNDER_TEST })],
    [
      'with other numbers',
      [{ worker: 'w1' }, { worker: 'w2', message: 'the test runner failed: KeyError: 0x55b1' }],
    ],
  ])('has failed, and is not tried again: %s', (_how, attempts) => {
    expect(ends(attempts, 9)).toEqual([
      expect.objectContaining({
        kind: 'finish',
        outcome: expect.objectContaining({
          verdict: 'fail',
          message: expect.stringMatching(
            new RegExp(`\\(in ${attempts.length} testbeds alike: the package breaks them\\)$`),
          ) as string,
        }) as object,
      }),
    ]);
  });

  it.each<[string, Partial<FinishedReport>[]]>([
    ['crashes that differ', [{ worker: 'w1' }, { worker: 'w2', message: 'the test runner failed: OSError' }]],
    ['a package that was never unpacked', [{ version: null }, { worker: 'w2', version: null }]],
    ['a machine that lacks something', [{ trouble: 'machine' }, { worker: 'w2', trouble: 'machine' }]],
    ['an archive that is away', [{ trouble: 'archive' }, { worker: 'w2', trouble: 'archive' }]],
    ['two testbeds of one worker', [{}, {}]],
    [
      'testbeds that fail',
      ['w1', 'w2', 'w1', 'w2'].map((worker) => ({ worker, exitCode: 16, trouble: 'testbed' })),
    ],
    [
      'testbeds that fail at an unknown time',
      ['w1', 'w2', 'w1'].map((worker) => ({ worker, exitCode: 16, message: 'the testbed failed' })),
    ],
  ])('is not blamed for %s', (_what, attempts) => {
    expect(ends(attempts)).toContainEqual(
      expect.objectContaining({ outcome: expect.objectContaining({ verdict: 'tmpfail' }) as object }),
    );
  });
});
