import type { Testbed } from '@proctor/contracts';
import { DispatcherRig } from '@test/support/dispatcher-rig';
import { finishedReport, SUITE, waitingRun } from '@test/support/runs';
import type { DispatchedRun } from './journal-records';

const MINUTE = 60_000;
/** Public runs that wait; run 1 is executed. */
const WAITING = [2, 3, 4, 5];
const SECRET = 101;

const testbeds: Testbed[] = [SUITE, 'sid'].map((suite) => ({ suite, backend: 'unshare', state: 'ready' }));

function hidden(changes: Partial<DispatchedRun> = {}, runId = SECRET): DispatchedRun {
  return waitingRun(runId, { requestor: 'bob', package: 'gcc', priority: 10, isPrivate: true, ...changes });
}

/** A dispatcher with public runs, and what else happened there meanwhile. */
function played(meanwhile: (rig: DispatcherRig) => void = () => undefined): DispatcherRig {
  const rig = new DispatcherRig(
    [
      waitingRun(1, { priority: 9 }),
      waitingRun(2, { package: 'gcc' }),
      waitingRun(3, { requestor: 'bob', package: 'bash' }),
      waitingRun(4, { package: 'dash', priority: 4 }),
      waitingRun(5, { requestor: 'eve', package: 'zsh' }),
    ],
    {
      caps: { perRequestorMax: 2, perPackageMax: 1, perSuiteMax: 2 },
      sizeClassOf: (name) => (name === 'linux' ? 'big' : null),
      fairShare: { halfLifeMs: Infinity, weightOf: () => 1 },
    },
  );
  rig.ask({ testbeds });
  const { attempt } = rig.state.runs.find(1)!;
  expect(attempt).toBe(1);
  for (const [worker, slot] of [
    ['w1', 1],
    ['w2', 0],
  ] as const) {
    rig.ask({ worker, slot, testbeds, onlyHeld: true });
  }
  rig.now += MINUTE / 6;
  meanwhile(rig);
  rig.now = 1_000 + MINUTE / 2;
  return rig;
}

/** What all users may see. */
function seenBy(rig: DispatcherRig): unknown {
  return { waiting: WAITING.map((runId) => rig.explain(runId)), status: rig.send({ kind: 'status' }).reply };
}

const arrive = (rig: DispatcherRig, ...runs: DispatchedRun[]) => rig.send({ kind: 'arrivals', runs });

/** The private run is granted to the second worker. */
function grant(rig: DispatcherRig, changes: Partial<DispatchedRun> = {}): void {
  arrive(rig, hidden(changes));
  const { lease } = rig.ask({ worker: 'w2', testbeds }).reply;
  expect(lease?.runId).toBe(SECRET);
}

function end(rig: DispatcherRig, changes: Parameters<typeof finishedReport>[2]): void {
  rig.now += MINUTE / 6;
  rig.send({ kind: 'finished', report: finishedReport(SECRET, 1, { worker: 'w2', ...changes }) });
}

const STATES: [string, (rig: DispatcherRig) => void][] = [
  ['waits', (rig) => arrive(rig, hidden())],
  [
    'waits with a user of its own',
    (rig) => arrive(rig, hidden({ requestor: 'kim', priority: 5, arrivedAt: 0 })),
  ],
  ['waits in a suite of its own', (rig) => arrive(rig, hidden({ suite: 'sid' }))],
  ['waits for a suite that no worker offers', (rig) => arrive(rig, hidden({ suite: 'gone' }))],
  ['waits for a slot of its size class', (rig) => arrive(rig, hidden({ package: 'linux' }))],
  ['waits for a backend', (rig) => arrive(rig, hidden({ backend: 'qemu' }))],
  ['waits for a variant', (rig) => arrive(rig, hidden({ variant: 'stub' }))],
  ['waits for an apt source', (rig) => arrive(rig, hidden({ extraAptSources: ['gone'] }))],
  ['is granted, of a package at its cap', (rig) => grant(rig)],
  ['is granted, of a user at the cap', (rig) => grant(rig, { requestor: 'ada', package: 'make' })],
  ['is granted, in a suite of its own', (rig) => grant(rig, { suite: 'sid', package: 'make' })],
  [
    'handed back',
    (rig) => {
      grant(rig);
      const { worker, incarnation, slot } = rig.state.leases.find(SECRET)!.lease;
      const returned = { worker, incarnation, slot, runId: SECRET, attempt: 1, reason: 'no image' };
      rig.send({ kind: 'return', request: returned });
    },
  ],
  [
    'has failed and waits for another try',
    (rig) => {
      grant(rig);
      end(rig, { verdict: 'tmpfail', message: 'no network' });
    },
  ],
  [
    'has failed and waits for another worker',
    (rig) => {
      grant(rig);
      end(rig, { verdict: 'tmpfail', message: 'no network' });
      rig.state.waiting.endDelay(rig.state.runs.find(SECRET)!);
    },
  ],
  [
    'has passed after long',
    (rig) => {
      grant(rig);
      end(rig, { durationSeconds: 7_200 });
    },
  ],
  [
    'was cancelled',
    (rig) => {
      grant(rig);
      const order = {
        kind: 'cancel',
        place: null,
        orderId: 1,
        runId: SECRET,
        by: 'bob',
        attempt: 1,
        grantEpoch: 7,
        worker: 'w2',
      } as const;
      rig.send({ kind: 'orders', orders: [order] });
    },
  ],
  [
    'was retried',
    (rig) => {
      grant(rig);
      end(rig, {});
      arrive(rig, hidden({}, SECRET + 1));
    },
  ],
];

describe('everybody', () => {
  it.each(STATES)('all users see the same as without a private run that %s', (_what, meanwhile) => {
    expect(seenBy(played(meanwhile))).toEqual(seenBy(played()));
  });

  it('all users see the same about a worker that is not sound, whatever private runs broke it', () => {
    const breaking = (isPrivate: boolean) => (rig: DispatcherRig) => {
      for (const runId of [SECRET, SECRET + 1, SECRET + 2]) {
        arrive(rig, hidden({ package: `p${runId}`, isPrivate, suite: 'sid' }, runId));
        expect(rig.ask({ worker: 'w2', testbeds }).reply.lease?.runId).toBe(runId);
        const failure = { worker: 'w2', verdict: 'tmpfail', message: 'no network' } as const;
        rig.send({ kind: 'finished', report: finishedReport(runId, 1, failure) });
      }
    };
    const rig = played(breaking(true));
    const { workers } = rig.send({ kind: 'status' }).reply;
    expect(workers).toMatchObject([
      { worker: 'w1', standing: 'sound' },
      { worker: 'w2', standing: 'quarantined', reason: 'attempts failed here in a row' },
    ]);
    expect(rig.ask({ worker: 'w2', testbeds }).reply.standing?.reason).toBe('attempts failed here in a row');
    expect(JSON.stringify(seenBy(rig))).not.toMatch(/10[123]/);
    const [, open] = played(breaking(false)).send({ kind: 'status' }).reply.workers;
    expect(open?.reason).toMatch(/^attempts failed here in a row, the latest of a public run: run 103 /);
  });

  it('all users see the same as without a private run that had a result where a public run failed', () => {
    const failing = (rig: DispatcherRig): void => {
      arrive(rig, waitingRun(6, { package: 'make', priority: 10, suite: 'sid' }));
      expect(rig.ask({ worker: 'w2', testbeds }).reply.lease?.runId).toBe(6);
      const report = finishedReport(6, 1, { worker: 'w2', verdict: 'tmpfail', message: 'no network' });
      rig.send({ kind: 'finished', report });
    };
    const passing = (rig: DispatcherRig): void => {
      failing(rig);
      grant(rig, { package: 'perl' });
      end(rig, {});
    };
    const seeAll = (rig: DispatcherRig) => [seenBy(rig), rig.explain(6)];
    expect(seeAll(played(passing))).toEqual(seeAll(played(failing)));
  });
});

describe('users', () => {
  it('a user sees their own private runs as if they were public, and no other user’s', () => {
    const runs = (isPrivate: boolean, changes: Partial<DispatchedRun>) => (rig: DispatcherRig) =>
      arrive(rig, ...[SECRET, SECRET + 1].map((runId) => hidden({ ...changes, isPrivate }, runId)));
    const toBob = (rig: DispatcherRig) => [2, SECRET + 1].map((runId) => rig.explain(runId, { user: 'bob' }));
    expect(toBob(played(runs(true, {})))).toEqual(toBob(played(runs(false, {}))));
    expect(toBob(played(runs(true, {})))[1]).toMatchObject({ position: 2, ahead: 1 });
    const toAda = (rig: DispatcherRig) => WAITING.map((runId) => rig.explain(runId, { user: 'ada' }));
    expect(toAda(played(runs(true, {})))).toEqual(toAda(played()));
  });

  it('a user sees their own private runs where they fill a cap', () => {
    const rig = played((each) => grant(each));
    expect(rig.reasons(2, { user: 'bob' })).toContain('its package has 1 run running, the cap');
    expect(rig.reasons(2)).not.toContain('its package has 1 run running, the cap');
  });
});

it('an administrator sees everything', () => {
  const toAdministrator = (rig: DispatcherRig) => [
    WAITING.map((runId) => rig.explain(runId, { everything: true })),
    rig.send({ kind: 'status', request: { everything: true } }).reply,
  ];
  const waiting = (isPrivate: boolean) => (rig: DispatcherRig) =>
    arrive(rig, hidden({ isPrivate }), hidden({ isPrivate, suite: 'gone' }, SECRET + 1));
  expect(toAdministrator(played(waiting(true)))).toEqual(toAdministrator(played(waiting(false))));
  const { queues, workers } = played((rig) => grant(rig)).send({
    kind: 'status',
    request: { everything: true },
  }).reply;
  expect(queues).toMatchObject([{ running: 2 }]);
  expect(workers).toMatchObject([{ busy: 1 }, { busy: 1 }]);
});
