import { BlameRig, judgements, MINUTE_MS } from '@test/support/blame-rig';
import { ARCH, leaseRequest } from '@test/support/runs';

const NEW_LIFE = '00000000-0000-4000-8000-000000000002';

/** w1 is, beside w2. */
function quarantined(): BlameRig {
  const rig = BlameRig.pair();
  rig.fail('w1', 3);
  return rig;
}

/** w2 stays alive meanwhile. */
function wait(rig: BlameRig, ms: number): void {
  rig.now += ms;
  rig.ask({ worker: 'w2' });
}

describe('quarantines', () => {
  it('a quarantined worker is asked for a canary test at once, where it failed, and returns when that passes', () => {
    const rig = quarantined();
    const { reply } = rig.ask();
    const where = { suite: 'trixie', arch: ARCH, backend: 'unshare', variant: 'autopkgtest' };
    expect(reply).toMatchObject({ lease: null, canary: { canary: '7.1', ...where } });
    const { writes, reply: next } = rig.sendCanary('w1', reply, true);
    const reason = 'the canary test passed';
    expect(writes[0]).toEqual({ kind: 'judge-worker', worker: 'w1', standing: 'sound', reason });
    expect(next.lease).not.toBeNull();
  });

  it('a worker stays quarantined while its canary test fails, which is repeated every minute', () => {
    const rig = quarantined();
    const reason = 'the canary test failed: no space left';
    const judgement = { kind: 'judge-worker', worker: 'w1', standing: 'quarantined', reason };
    for (const expectedWrites of [[judgement], [], [], []]) {
      const { writes, reply } = rig.sendCanary('w1', rig.ask().reply, false);
      expect(writes).toEqual(expectedWrites);
      expect(reply).not.toHaveProperty('canary');
      wait(rig, MINUTE_MS - 1);
      expect(rig.canaryAsked()).toBeUndefined();
      wait(rig, 1);
    }
    rig.sendCanary('w1', rig.ask().reply, true);
    expect(rig.standing('w1')).toBe('sound');
  });

  it('a worker that fails again after each canary test it passes waits twice as long each time', () => {
    const rig = quarantined();
    rig.end('w1', rig.sendCanary('w1', rig.ask().reply, true).reply, 'tmpfail');
    for (const minutes of [10, 20, 40, 60, 60]) {
      expect(rig.standing('w1')).toBe('quarantined');
      wait(rig, minutes * MINUTE_MS - 1);
      expect(rig.canaryAsked()).toBeUndefined();
      wait(rig, 1);
      rig.end('w1', rig.sendCanary('w1', rig.ask().reply, true).reply, 'tmpfail');
    }
  });

  it('a worker that has returned is on probation: one failure is enough, a result ends that', () => {
    const rig = quarantined();
    const { reply } = rig.sendCanary('w1', rig.ask().reply, true);
    expect(judgements(rig.end('w1', reply, 'tmpfail'))).toMatchObject([
      { standing: 'quarantined', reason: expect.stringMatching(/^an attempt failed here soon after/) },
    ]);
    wait(rig, 10 * MINUTE_MS - 1);
    expect(rig.canaryAsked()).toBeUndefined();
    wait(rig, 1);
    rig.sendCanary('w1', rig.ask().reply, true);
    rig.execute('w1', 'pass');
    expect(rig.fail('w1', 2)).toEqual([]);
  });

  it('a quarantined worker gets one canary test at a time, the same when its slot asks again', () => {
    const rig = quarantined();
    wait(rig, 10 * MINUTE_MS);
    expect([rig.canaryAsked(), rig.canaryAsked()]).toMatchObject([{ canary: '7.1' }, { canary: '7.1' }]);
    expect(rig.canaryAsked({ slot: 1 })).toBeUndefined();
    wait(rig, 10 * MINUTE_MS - 1);
    expect(rig.canaryAsked({ slot: 1 })).toBeUndefined();
    wait(rig, 1);
    expect(rig.canaryAsked({ slot: 1 })).toMatchObject({ canary: '7.2' });
    expect(
      rig.canaryAsked({ slot: 2, incarnation: NEW_LIFE, previous: [leaseRequest().incarnation] }),
    ).toMatchObject({ canary: '7.3' });
  });

  it.each([
    ['that an earlier owner asked for', '6.1'],
    ['that was not asked for', '7.2'],
  ])('a quarantined worker does not return by a canary test %s', (_what, canary) => {
    const rig = quarantined();
    wait(rig, 10 * MINUTE_MS);
    rig.ask();
    expect(rig.ask({ canary: { canary, passed: true, message: 'fine' } }).writes).toEqual([]);
    expect(rig.standing('w1')).toBe('quarantined');
  });

  it('a quarantined worker does not return by the canary test of another worker', () => {
    const rig = quarantined();
    wait(rig, 10 * MINUTE_MS);
    const { reply } = rig.ask();
    expect(judgements(rig.sendCanary('w2', reply, true).writes)).toEqual([]);
  });

  it('the result of a canary test is recorded once, though it is reported twice', () => {
    const rig = quarantined();
    wait(rig, 10 * MINUTE_MS);
    const { reply } = rig.ask();
    expect(rig.sendCanary('w1', reply, false).writes).toHaveLength(1);
    expect(rig.sendCanary('w1', reply, false).writes).toEqual([]);
  });

  it.each([
    ['without a testbed', { testbeds: [] }],
    ['with a problem', { problem: 'the disk is full' }],
  ])('a quarantined worker %s gets no canary test', (_what, changes) => {
    const rig = quarantined();
    wait(rig, 10 * MINUTE_MS);
    expect(rig.canaryAsked(changes)).toBeUndefined();
    expect(rig.canaryAsked()).toBeDefined();
  });

  it('a quarantined worker gets no canary test while it is drained', () => {
    const rig = quarantined();
    wait(rig, 10 * MINUTE_MS);
    rig.drain('w1');
    expect(rig.canaryAsked()).toBeUndefined();
  });

  it('a quarantined worker works again, seldom, when no other is left to do its work and its canary test fails', () => {
    const rig = quarantined();
    rig.now += 4 * MINUTE_MS;
    const { reply } = rig.ask();
    rig.sendCanary('w1', reply, false);
    expect(rig.standing('w1')).toBe('slowed');
    rig.now += 10 * MINUTE_MS - 1;
    expect(rig.ask().reply.lease).toBeNull();
    rig.now += 1;
    rig.execute('w1', 'pass');
    expect(rig.standing('w1')).toBe('sound');
  });
});

describe('reloads', () => {
  const judgement = { worker: 'w1', reason: 'whatever', agoMs: 4 * MINUTE_MS };

  it('a quarantine goes on after a reload for the rest of its time', () => {
    const rig = new BlameRig({ judgements: [{ ...judgement, standing: 'quarantined' }] });
    wait(rig, 6 * MINUTE_MS - 1);
    expect(rig.ask().reply.lease).toBeNull();
    expect(rig.canaryAsked()).toBeUndefined();
    expect(rig.reasonOf('w1')).toBe('whatever');
    wait(rig, 1);
    const { reply } = rig.ask();
    expect(reply).toMatchObject({ lease: null, canary: { suite: 'trixie' } });
    expect(rig.sendCanary('w1', reply, true).reply.lease).not.toBeNull();
  });

  it('a slowed worker stays so after a reload, and a sound one is sound', () => {
    const rig = new BlameRig({ judgements: [{ ...judgement, standing: 'slowed' }] });
    expect(rig.ask().reply).toMatchObject({ lease: null, canary: { canary: '7.1' } });
    const sound = new BlameRig({ judgements: [{ ...judgement, standing: 'sound' }] });
    expect(sound.ask().reply.lease).not.toBeNull();
  });

  it('the slot of a lease of a quarantined worker still holds it after a reload', () => {
    const { incarnation, slot } = leaseRequest();
    const lease = { worker: 'w1', incarnation, slot, state: 'running' as const, heldMs: 5 };
    const run = { ...new BlameRig().state.runs.find(1)!, attempt: 1, latestWorker: 'w1', lease };
    const rig = new BlameRig({ runs: [run], judgements: [{ ...judgement, standing: 'quarantined' }] });
    expect(rig.ask().reply.lease).toMatchObject({ runId: 1, attempt: 1 });
  });
});
