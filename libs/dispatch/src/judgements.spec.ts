import { BlameRig, judgements, MINUTE_MS, numbered } from '@test/support/blame-rig';
import { leaseRequest, waitingRun } from '@test/support/runs';

const SECOND_LIFE = '00000000-0000-4000-8000-000000000002';
const THIRD_LIFE = '00000000-0000-4000-8000-000000000003';

describe('failures', () => {
  it('a worker is quarantined after failures of so many packages in a row, with the reason', () => {
    const rig = BlameRig.pair();
    expect(rig.fail('w1', 2)).toEqual([]);
    const reason =
      '3 failures here in a row: ' +
      'run 3 (the testbed failed), run 4 (the testbed failed), run 5 (the testbed failed)';
    expect(rig.fail('w1', 1)).toEqual([
      { kind: 'judge-worker', worker: 'w1', standing: 'quarantined', reason },
    ]);
    expect(rig.ask({ worker: 'w1' }).reply.lease).toBeNull();
    expect(rig.ask({ worker: 'w2' }).reply.lease).not.toBeNull();
    expect([rig.standing('w1'), rig.reasonOf('w1')]).toEqual(['quarantined', reason]);
    expect([rig.standing('w2'), rig.reasonOf('w2')]).toEqual(['sound', undefined]);
  });

  it.each(['pass', 'fail', 'neutral'] as const)(
    'a worker is sound again in the count after a %s',
    (verdict) => {
      const rig = BlameRig.pair();
      rig.fail('w1', 2);
      rig.execute('w1', verdict);
      expect(rig.fail('w1', 2)).toEqual([]);
      expect(rig.fail('w1', 1)).toHaveLength(1);
    },
  );

  it('a worker is not blamed for files that an archive did not give, and not cleared by them', () => {
    const rig = BlameRig.pair();
    rig.fail('w1', 2);
    for (let times = 0; times < 5; times += 1) rig.execute('w1', 'tmpfail', 'archive');
    expect(rig.standing('w1')).toBe('sound');
    expect(rig.fail('w1', 1)).toHaveLength(1);
  });

  it('a worker is not blamed for runs that have failed on another', () => {
    const smelly = [1, 2, 3, 4].map((runId) => numbered(runId, { failedOn: ['w9'], attemptsLost: 1 }));
    const rig = BlameRig.pair({ runs: [...smelly, ...[11, 12, 13, 14, 15].map((runId) => numbered(runId))] });
    expect(rig.fail('w1', 2)).toEqual([]);
    expect(rig.state.runs.find(3)?.failedOn).toEqual(['w9', 'w1']);
    expect(rig.fail('w1', 2)).toEqual([]);
    expect(rig.fail('w1', 1)).toHaveLength(1);
  });

  it('a worker is blamed for leases that expire and for those of its former life', () => {
    const rig = BlameRig.pair();
    rig.ask();
    rig.ask({ incarnation: SECOND_LIFE, previous: [leaseRequest().incarnation] });
    rig.ask({ incarnation: THIRD_LIFE, previous: [SECOND_LIFE] });
    rig.tick(MINUTE_MS - 1);
    rig.ask({ worker: 'w2' });
    expect(judgements(rig.tick(1).writes)).toMatchObject([
      {
        worker: 'w1',
        standing: 'quarantined',
        reason: expect.stringMatching(/\(worker w1 was started again\).*\(worker w1 was silent for 60 s\)/),
      },
    ]);
  });

  it('a worker is blamed once for its death, however many attempts that took with it', () => {
    const rig = BlameRig.pair();
    for (const slot of [0, 1, 2, 3]) rig.ask({ slot });
    for (const slot of [0, 1])
      rig.ask({ slot, incarnation: SECOND_LIFE, previous: [leaseRequest().incarnation] });
    expect(judgements(rig.tick(MINUTE_MS).writes)).toEqual([]);
    expect(rig.standing('w1')).toBe('sound');
  });

  it('a worker is not blamed for leases that it hands back', () => {
    const rig = BlameRig.pair();
    for (let times = 0; times < 5; times += 1) {
      const { runId = 0, attempt = 0 } = rig.ask().reply.lease ?? {};
      const { worker, incarnation, slot } = leaseRequest();
      const request = { worker, incarnation, slot, runId, attempt, reason: 'there is no image' };
      expect(rig.send({ kind: 'return', request }).reply.returned).toBe(true);
      rig.tick(MINUTE_MS);
    }
    expect(rig.fail('w1', 2)).toEqual([]);
  });

  it('a worker is not blamed for one package, however often it fails', () => {
    const rig = new BlameRig({ runs: [1, 2, 3, 4, 5, 6].map((runId) => waitingRun(runId)) });
    rig.ask({ worker: 'w2', variants: ['stub'] });
    expect(rig.fail('w1', 3)).toEqual([]);
    // A canary test shows whether it or the package is to blame.
    const { writes, reply } = rig.sendCanary('w1', rig.ask().reply, true);
    expect(judgements(writes)).toEqual([]);
    expect(rig.state.suspects.occasionsOf(rig.state.runs.find(4)!)).toBe(3);
    expect(judgements(rig.end('w1', reply, 'tmpfail'))).toEqual([]);
    expect(rig.fail('w1', 2)).toEqual([]);
    expect(rig.ask().reply).not.toHaveProperty('canary');
  });

  it('a worker is slowed or quarantined when the canary test fails that one package led to', () => {
    const rig = BlameRig.pair();
    for (const runId of [61, 62, 63])
      rig.send({ kind: 'arrivals', runs: [waitingRun(runId, { priority: 9 })] });
    expect(rig.fail('w1', 3)).toEqual([]);
    const { writes } = rig.sendCanary('w1', rig.ask().reply, false);
    expect(judgements(writes)).toMatchObject([{ worker: 'w1', standing: 'quarantined' }]);
    expect(rig.state.suspects.isEmpty).toBe(true);
  });

  it('a worker is judged by the settings of the moment', () => {
    const rig = BlameRig.pair();
    rig.fail('w1', 2);
    const blame = { ...rig.state.settings.blame, failuresMax: 9 };
    rig.send({ kind: 'settings', settings: { ...rig.state.settings, blame } });
    expect(rig.fail('w1', 6)).toEqual([]);
    expect(rig.fail('w1', 1)).toHaveLength(1);
  });
});

describe('last workers', () => {
  it.each<[string, (rig: BlameRig) => void]>([
    ['is alone', () => undefined],
    [
      'is beside one with another suite',
      (rig) => {
        rig.ask({ worker: 'w2', testbeds: [{ suite: 'sid', backend: 'unshare', state: 'ready' }] });
      },
    ],
    ['is beside one with another variant', (rig) => void rig.ask({ worker: 'w2', variants: ['stub'] })],
    ['is beside one with a full disk', (rig) => void rig.ask({ worker: 'w2', problem: 'the disk is full' })],
    [
      'is beside one that fell silent',
      (rig) => {
        rig.ask({ worker: 'w2' });
        rig.now += 4 * MINUTE_MS;
      },
    ],
    [
      'is beside a drained one',
      (rig) => {
        rig.ask({ worker: 'w2' });
        rig.drain('w2');
      },
    ],
    [
      'is beside one that takes private tests alone',
      (rig) => void rig.ask({ worker: 'w2', sizeClasses: ['big'], privateRunsOnly: true }),
    ],
    ['has room for a class that no other has', (rig) => void rig.ask({ worker: 'w2' })],
  ])('a worker that %s is slowed, and its canary test comes at once', (_what, meet) => {
    const rig = new BlameRig();
    meet(rig);
    const ask = () => rig.ask({ worker: 'w1', sizeClasses: ['big'] }).reply;
    const writes = [1, 2, 3].flatMap(() => judgements(rig.end('w1', ask(), 'tmpfail')));
    expect(writes).toMatchObject([{ worker: 'w1', standing: 'slowed' }]);
    expect(ask()).toMatchObject({ lease: null, canary: { canary: '7.1' } });
  });

  function slowed(): BlameRig {
    const rig = new BlameRig();
    rig.fail('w1', 3);
    expect(rig.standing('w1')).toBe('slowed');
    return rig;
  }

  it('the last worker gets a run occasionally when its canary test fails, in case that is wrong', () => {
    const rig = slowed();
    const { writes } = rig.sendCanary('w1', rig.ask().reply, false);
    expect(writes).toMatchObject([
      { kind: 'judge-worker', standing: 'slowed', reason: /canary test failed/ },
    ]);
    for (const _round of [1, 2]) {
      rig.now += 10 * MINUTE_MS - 1;
      expect(rig.ask().reply.lease).toBeNull();
      rig.now += 1;
      rig.execute('w1', 'tmpfail');
    }
  });

  it('the last worker is sound when its canary test passes, until the next failure', () => {
    const rig = slowed();
    const { writes, reply } = rig.sendCanary('w1', rig.ask().reply, true);
    expect(writes).toMatchObject([{ kind: 'judge-worker', standing: 'sound' }, { kind: 'grant' }]);
    expect(rig.end('w1', reply, 'tmpfail')).toMatchObject([
      { kind: 'requeue' },
      { kind: 'judge-worker', standing: 'slowed' },
    ]);
  });

  it('the last worker gets its canary tests after 1, 2, 4, 8 and 10 minutes when each passes and nothing else does', () => {
    const rig = slowed();
    for (const minutes of [0, 1, 2, 4, 8, 10, 10]) {
      const sinceMs = rig.now;
      rig.now += minutes * MINUTE_MS;
      // A slot asks all the time: it gets a run first when one may go.
      if (minutes > 0) rig.ask({ slot: rig.now });
      const { reply } = rig.ask();
      expect([minutes, reply.canary === undefined]).toEqual([minutes, false]);
      expect(rig.now - sinceMs).toBe(minutes * MINUTE_MS);
      rig.end('w1', rig.sendCanary('w1', reply, true).reply, 'tmpfail');
      expect(rig.standing('w1')).toBe('slowed');
    }
  });

  it('the last worker gets a run after 5 s, and with each failure in a row half as often, at least one a minute', () => {
    const rig = slowed();
    rig.ask();
    for (const seconds of [5, 10, 20, 40, 60, 60]) {
      rig.now += seconds * 1_000 - 1;
      expect(rig.ask({ slot: 1 }).reply).toMatchObject({ lease: null, standing: { untilMs: 1 } });
      rig.now += 1;
      const { reply } = rig.ask({ slot: 1 });
      expect(rig.ask({ slot: 2 }).reply).toMatchObject({ lease: null, standing: { standing: 'slowed' } });
      rig.end('w1', reply, 'tmpfail');
    }
  });

  it('the last worker is sound with the first result', () => {
    const rig = slowed();
    rig.now += 5_000;
    expect(rig.execute('w1', 'fail')).toMatchObject([
      { kind: 'finish' },
      { kind: 'judge-worker', worker: 'w1', standing: 'sound', reason: 'a run had a result here' },
    ]);
    expect(rig.ask().reply.lease).not.toBeNull();
    expect(rig.ask({ slot: 1 }).reply.lease).not.toBeNull();
  });
});

it('what is known against workers is bounded: a sound one is forgotten first', () => {
  const rig = new BlameRig({}, { workersMax: 3 });
  rig.fail('w1', 3);
  for (let index = 0; index < 9; index += 1) rig.execute(`w1${index}`, 'tmpfail');
  expect(rig.state.judgements.size).toBe(3);
  expect(rig.standing('w1')).toBe('slowed');
});
