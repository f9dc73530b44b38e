import { DispatcherRig } from '@test/support/dispatcher-rig';
import { leaseRequest, settings, waitingRun } from '@test/support/runs';

const NEW_LIFE = '00000000-0000-4000-8000-000000000002';

describe('settings', () => {
  const source = { name: 'inner', lines: ['deb http://mirror.example inner main'] };

  it('new settings let runs go whose extra apt source has appeared, and hold those whose has gone', () => {
    const rig = new DispatcherRig([waitingRun(1, { extraAptSources: ['inner'] })]);
    expect(rig.ask().reply.lease).toBeNull();
    const { writes, workWaiting } = rig.send({
      kind: 'settings',
      settings: settings({ extraAptSources: new Map([['inner', source]]) }),
    });
    expect({ writes, workWaiting }).toEqual({ writes: [], workWaiting: true });
    rig.send({ kind: 'settings', settings: settings() });
    expect(rig.ask().reply.lease).toBeNull();
    expect(rig.reasons()[0]).toBe('the extra apt source inner is no longer configured');
    rig.send({ kind: 'settings', settings: settings({ extraAptSources: new Map([['inner', source]]) }) });
    expect(rig.ask().reply.lease).toMatchObject({ runId: 1, extraAptSources: [source] });
  });

  it('new settings leave a run alone that is leased or waits after a lost attempt', () => {
    const knownSettings = settings({
      extraAptSources: new Map([['inner', source]]),
      retry: { attemptsMax: 9, delayMs: 30_000, delayMaxMs: 600_000 },
    });
    const rig = new DispatcherRig([waitingRun(1, { extraAptSources: ['inner'] })], knownSettings);
    rig.ask();
    rig.send({ kind: 'settings', settings: { ...knownSettings, askAgainMs: 7 } });
    expect(rig.ask({ slot: 1 }).reply).toMatchObject({ lease: null, askAgainMs: 7 });
    rig.ask({ incarnation: NEW_LIFE, previous: [leaseRequest().incarnation] });
    rig.send({ kind: 'settings', settings: knownSettings });
    expect(rig.ask({ incarnation: NEW_LIFE, previous: [leaseRequest().incarnation] }).reply.lease).toBeNull();
    expect(rig.reasons()[0]).toMatch(/^waits 30 s more/);
  });
});

describe('size classes', () => {
  it('new size classes move the runs that wait to other slots', () => {
    const rig = new DispatcherRig([1, 2].map((runId) => waitingRun(runId, { package: 'gcc' })));
    rig.ask();
    const big = settings({ sizeClassOf: () => 'big' });
    expect(rig.send({ kind: 'settings', settings: big }).workWaiting).toBe(true);
    expect(rig.ask({ slot: 1 }).reply.lease).toBeNull();
    expect(rig.ask({ slot: 1, sizeClasses: ['big'] }).reply.lease?.runId).toBe(2);
  });

  it('new size classes leave nothing behind', () => {
    const rig = new DispatcherRig([waitingRun(1)], { sizeClassOf: () => 'big' });
    rig.send({ kind: 'settings', settings: settings() });
    expect(rig.ask().reply.lease?.runId).toBe(1);
    expect(rig.ask({ slot: 1, sizeClasses: ['big'] }).reply.lease).toBeNull();
  });
});

it('arrivals are ingested once, and wake idle workers', () => {
  const rig = new DispatcherRig([waitingRun(1)]);
  const { writes, workWaiting } = rig.send({ kind: 'arrivals', runs: [waitingRun(1), waitingRun(2)] });
  expect(writes).toEqual([]);
  expect(workWaiting).toBe(true);
  expect(rig.ask().reply.lease?.runId).toBe(1);
  expect(rig.ask({ slot: 1 }).reply.lease?.runId).toBe(2);
  expect(rig.ask({ slot: 2 }).reply.lease).toBeNull();
});
