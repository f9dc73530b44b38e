import type { Testbed } from '@proctor/contracts';
import { DispatcherRig } from '@test/support/dispatcher-rig';
import { ARCH, leaseRequest, loaded, settings, SUITE, waitingRun } from '@test/support/runs';
import { DispatcherState } from './dispatcher-state';
import { step } from './step';

const RUN = waitingRun(5);

function reasonsAfter(
  asks: Parameters<typeof leaseRequest>[0][],
  others = [] as (typeof RUN)[],
  now = 0,
): string[] {
  const state = new DispatcherState({ arch: ARCH, epoch: 1 }, settings(), loaded([{ ...RUN }, ...others]), 0);
  for (const ask of asks) step(state, { kind: 'lease', request: leaseRequest(ask) }, 0);
  return step<'explain'>(state, { kind: 'explain', runId: RUN.runId }, now).reply.reasons;
}

function testbed(state: Testbed['state'], detail?: string, changes: Partial<Testbed> = {}): Testbed[] {
  return [{ suite: SUITE, backend: 'unshare', state, ...(detail !== undefined && { detail }), ...changes }];
}

describe('missing workers', () => {
  it.each([
    ['no worker asked', [], ['no worker has requested work on amd64 yet']],
    [
      'no such backend',
      [{ testbeds: testbed('ready', undefined, { backend: 'qemu' }) }],
      ['no worker offers backend unshare'],
    ],
    [
      'no such suite',
      [{ testbeds: testbed('ready', undefined, { suite: 'sid' }) }],
      ['no worker offers suite trixie on backend unshare'],
    ],
    ['no such variant', [{ variants: ['stub'] }], ['no worker offers variant autopkgtest']],
    [
      'the image is being built',
      [{ testbeds: testbed('building', 'for 12 s') }],
      ['worker w1 is building the image trixie/amd64 (for 12 s)'],
    ],
    [
      'the image could not be built',
      [{ testbeds: testbed('failed', 'no space left') }],
      ['worker w1 could not build the image trixie/amd64: no space left'],
    ],
    [
      'the image is absent',
      [{ testbeds: testbed('absent') }],
      ['worker w1 has not built the image trixie/amd64 yet'],
    ],
    [
      'the suite is new to a worker that builds any',
      [{ testbeds: [], builds: ['unshare'] }],
      ['worker w1 has not built the image trixie/amd64 yet'],
    ],
    [
      'the worker has a problem',
      [{ testbeds: [], problem: 'no usable backend: uidmap is missing' }],
      ['worker w1: no usable backend: uidmap is missing'],
    ],
  ])('the reason why a run waits is shown: %s', (_, asks, reasons) =>
    expect(reasonsAfter(asks)).toEqual(reasons),
  );

  it('a run waits for one sound worker, whatever is wrong with another', () => {
    expect(
      reasonsAfter([{ worker: 'w0', problem: 'the disk is full' }, { testbeds: testbed('building') }]),
    ).toEqual(['worker w1 is building the image trixie/amd64', 'worker w0: the disk is full']);
  });

  it('a run waits since others are ahead of it, and the slots are busy', () => {
    const others = [1, 2, 3].map((runId) => waitingRun(runId));
    expect(reasonsAfter([{}], others)).toEqual([
      'the only suitable slot is busy',
      '2 runs of the same priority are ahead of it',
    ]);
  });

  it('a worker that fell silent does not count as one that a run waits for', () => {
    const ask = { testbeds: testbed('building') };
    expect(reasonsAfter([ask], [], 60_001)).toEqual([
      'no worker of amd64 has sent a message in the last 60 s',
    ]);
  });

  it.each([
    [[0], 'the only suitable slot is busy (on another architecture)'],
    [[0, 1], 'all 2 suitable slots are busy (on other architectures)'],
  ])('a run waits since other architectures keep slots %j busy', (busyElsewhere, reason) => {
    expect(reasonsAfter([{ onlyHeld: true, busyElsewhere }])).toEqual([reason]);
  });

  it('a run waits for slots, and some of them are busy with other architectures', () => {
    const asks = [{}, { slot: 1, onlyHeld: true, busyElsewhere: [1, 2] }];
    expect(reasonsAfter(asks, [waitingRun(1)])).toEqual([
      'all 3 suitable slots are busy (2 on other architectures)',
    ]);
  });

  it('a run waits for a pause after an attempt without a result', () => {
    const state = new DispatcherState({ arch: ARCH, epoch: 1 }, settings(), loaded([{ ...RUN }]), 0);
    step(state, { kind: 'reports-waiting', attempts: [] }, 0);
    step(state, { kind: 'lease', request: leaseRequest() }, 0);
    expect(step<'explain'>(state, { kind: 'explain', runId: 5 }, 0).reply.reasons).toEqual([]);
    step(state, { kind: 'tick', workersReachable: true }, 60_000);
    expect(step<'explain'>(state, { kind: 'explain', runId: 5 }, 70_000).reply.reasons[0]).toBe(
      'waits 20 s more, because attempt 1 ended early: worker w1 was silent for 60 s',
    );
  });
});

describe('able workers', () => {
  const DECISION = { by: 'ada', reason: 'the mirror is away', since: '2026-11-20 10:00:00' };
  const text = 'by ada: the mirror is away (since 2026-11-20 10:00:00)';
  const caps = { perRequestorMax: Infinity, perPackageMax: Infinity, perSuiteMax: Infinity };

  it.each([
    [{ suite: SUITE }, `suite trixie is paused ${text}`],
    [{ suite: null }, `architecture amd64 is paused ${text}`],
  ])('a run waits for the end of a pause of %j', (scope, reason) => {
    const rig = new DispatcherRig([waitingRun(1)]);
    rig.send({ kind: 'restrictions', restrictions: { pauses: [{ ...DECISION, ...scope }], drains: [] } });
    expect(rig.ask().reply.lease).toBeNull();
    expect(rig.reasons()).toEqual([reason]);
    expect(rig.send({ kind: 'restrictions', restrictions: { pauses: [], drains: [] } }).workWaiting).toBe(
      true,
    );
    expect(rig.ask().reply.lease?.runId).toBe(1);
  });

  it('a run waits for the end of that of two pauses which began first', () => {
    const rig = new DispatcherRig([waitingRun(1)]);
    const later = { ...DECISION, since: '2026-11-20 11:00:00', suite: null };
    const pauses = [later, { ...DECISION, suite: SUITE }];
    rig.send({ kind: 'restrictions', restrictions: { pauses, drains: [] } });
    rig.ask();
    expect(rig.reasons()).toEqual([`suite trixie is paused ${text}`]);
    rig.send({ kind: 'restrictions', restrictions: { pauses: pauses.toReversed(), drains: [] } });
    expect(rig.reasons()).toEqual([`suite trixie is paused ${text}`]);
  });

  it('a run waits since its worker is drained, and another one is quarantined', () => {
    const rig = new DispatcherRig(
      [waitingRun(1)],
      {},
      {
        restrictions: { pauses: [], drains: [{ ...DECISION, worker: 'w1' }] },
        judgements: [{ worker: 'w2', standing: 'quarantined', reason: 'three failures', agoMs: 0 }],
      },
    );
    for (const worker of ['w1', 'w2']) expect(rig.ask({ worker }).reply.lease).toBeNull();
    const reasons = (why: string) => [
      `worker w1 is drained ${text}`,
      `worker w2 is quarantined (a canary test in 60 s): ${why}`,
    ];
    expect(rig.reasons()).toEqual(reasons('it was judged by an earlier scheduler'));
    expect(rig.reasons(1, { everything: true })).toEqual(reasons('three failures'));
  });

  it('a run waits since its package is big', () => {
    const rig = new DispatcherRig([waitingRun(1)], { sizeClassOf: () => 'big' });
    expect(rig.ask({ sizeClasses: ['small'] }).reply.lease).toBeNull();
    expect(rig.reasons()).toEqual(['size class big: no slot is configured for it']);
    expect(rig.ask({ sizeClasses: ['big'] }).reply.lease?.runId).toBe(1);
  });

  it.each([
    [{ perRequestorMax: 1 }, 'user ada has 1 run running, the cap'],
    [{ perPackageMax: 1 }, 'its package has 1 run running, the cap'],
    [{ perSuiteMax: 1 }, 'suite trixie has 1 run running, the cap'],
  ])('a run waits because of the cap %j', (cap, reason) => {
    const rig = new DispatcherRig(
      [1, 2].map((runId) => waitingRun(runId)),
      { caps: { ...caps, ...cap } },
    );
    rig.ask();
    expect(rig.ask({ slot: 1 }).reply.lease).toBeNull();
    expect(rig.reasons(2)).toEqual([reason]);
    rig.finish(1);
    expect(rig.ask({ slot: 1 }).reply.lease?.runId).toBe(2);
  });

  it('a run waits since it failed here, and there is another worker', () => {
    const rig = new DispatcherRig([waitingRun(1, { failedOn: ['w1'] }), waitingRun(2, { arrivedAt: 0 })]);
    rig.ask({ worker: 'w2' });
    expect(rig.ask().reply.lease).toBeNull();
    expect(rig.reasons()).toEqual([
      'the only suitable slot is busy',
      'it failed on worker w1, so it waits for another one',
    ]);
    rig.tick(1);
    rig.send({ kind: 'restrictions', restrictions: { pauses: [], drains: [{ ...DECISION, worker: 'w2' }] } });
    expect(rig.ask().reply.lease?.runId).toBe(1);
  });

  it('a run waits since others go first, by priority or by age', () => {
    const others = [9, 8, 7, 5].map((priority, index) =>
      waitingRun(index + 2, { priority, arrivedAt: index }),
    );
    const aged = waitingRun(9, { priority: 4, waitedMs: 12 * 3_600_000, arrivedAt: -1 });
    const rig = new DispatcherRig([waitingRun(1, { arrivedAt: 99 }), ...others, aged]);
    rig.ask();
    expect(rig.reasons()).toEqual([
      'the only suitable slot is busy',
      '3 runs of higher priority are ahead of it',
      '1 run of the same priority is ahead of it',
    ]);
  });

  it('the reasons why a run waits name no other user and no package', () => {
    const others = ['secret', 'hidden'].flatMap((word, index) => {
      const changes = { requestor: `${word}-user`, package: `${word}-package`, isPrivate: true };
      return [2, 12].map((runId) => waitingRun(index + runId, changes));
    });
    const own = { package: 'own-package', arrivedAt: 99, priority: 1 };
    const rig = new DispatcherRig([waitingRun(1, own), ...others], {
      caps: { perRequestorMax: 1, perPackageMax: 1, perSuiteMax: 2 },
    });
    for (const slot of [0, 1]) rig.ask({ slot });
    for (const everything of [false, true]) {
      const explained = rig.explain(1, { everything });
      const answersText = JSON.stringify([
        explained,
        rig.send({ kind: 'status', request: { everything } }).reply,
      ]);
      expect(explained.reasons.length).toBeGreaterThan(everything ? 1 : 0);
      expect(answersText).not.toMatch(/secret|hidden|package"/);
    }
  });
});

it('a run that is executed has no reasons and no place, one that is not known yet waits to be read', () => {
  const rig = new DispatcherRig([waitingRun(1)]);
  rig.ask();
  const nothing = { ...rig.state.answer, position: null, ahead: null, startsInMs: null };
  expect(rig.explain(1)).toEqual({ ...nothing, runId: 1, reasons: [] });
  const reasons = ['the scheduler has not read it yet'];
  expect(rig.explain(2)).toEqual({ ...nothing, runId: 2, reasons });
});

it('a waiting run that nothing holds up says so: whether a slot is free would reveal private runs', () => {
  const rig = new DispatcherRig([]);
  rig.ask();
  step(rig.state, { kind: 'arrivals', runs: [waitingRun(1)] }, 0);
  expect(rig.reasons()).toEqual(['it waits for its turn']);
  expect(rig.reasons(1, { everything: true })).toEqual(['a slot is free and starts it soon']);
});
