import { DispatcherRig } from '@test/support/dispatcher-rig';
import { SUITE, waitingRun } from '@test/support/runs';
import { slotsToWake } from './waking';

const READY = { testbeds: [{ suite: SUITE, backend: 'unshare', state: 'ready' as const }] };
const LIFE = (place: number) => `00000000-0000-4000-8000-${String(place).padStart(12, '0')}`;

/** Slots of `workers` workers ask and are granted nothing. */
function idle(rig: DispatcherRig, workers: number, slots: number, changes = {}): void {
  for (let worker = 1; worker <= workers; worker += 1)
    for (let slot = 0; slot < slots; slot += 1)
      rig.ask({
        worker: `w${worker}`,
        incarnation: LIFE(worker),
        slot,
        wakeable: true,
        ...READY,
        ...changes,
      });
}

const arrive = (rig: DispatcherRig, ...runIds: number[]) =>
  rig.send({ kind: 'arrivals', runs: runIds.map((runId) => waitingRun(runId)) });

const wake = (rig: DispatcherRig) => slotsToWake(rig.state, rig.now);

it('two slots of different workers are woken for a run, those idle longest first, and others the next time', () => {
  const rig = new DispatcherRig([]);
  idle(rig, 50, 4);
  expect(wake(rig)).toEqual([]);
  arrive(rig, 1);
  expect(wake(rig)).toEqual([
    { worker: 'w1', slots: [0] },
    { worker: 'w2', slots: [0] },
  ]);
  expect(wake(rig)).toEqual([
    { worker: 'w1', slots: [1] },
    { worker: 'w2', slots: [1] },
  ]);
  expect(rig.state.idle.count).toBe(196);
});

it('as many slots are woken as there are runs, and all when too few are known', () => {
  const rig = new DispatcherRig([]);
  idle(rig, 3, 4);
  arrive(rig, 1, 2, 3, 4, 5);
  expect(wake(rig)).toEqual([
    { worker: 'w1', slots: [0, 1, 2, 3] },
    { worker: 'w2', slots: [0, 1, 2, 3] },
    { worker: 'w3', slots: [0, 1] },
  ]);
  expect(wake(rig)).toBeNull();
});

it.each([
  ['is not ready for it', { testbeds: [] }],
  ['has a problem', { problem: 'the disk is full' }],
  ['does not listen for signals', { wakeable: false }],
])('no slot is woken that %s', (_what, changes) => {
  const rig = new DispatcherRig([]);
  idle(rig, 2, 2, changes);
  arrive(rig, 1);
  expect(wake(rig)).toBeNull();
});

it('no slot is woken that another architecture keeps busy, as the worker says', () => {
  const rig = new DispatcherRig([]);
  idle(rig, 1, 2);
  rig.ask({
    worker: 'w1',
    incarnation: LIFE(1),
    slot: 2,
    onlyHeld: true,
    busyElsewhere: [0, 1, 2],
    ...READY,
  });
  expect(rig.state.idle.count).toBe(0);
  arrive(rig, 1);
  expect(wake(rig)).toBeNull();
});

it('no slot of a worker that is drained or out of the register is woken, and none for a suite that is paused', () => {
  const rig = new DispatcherRig([]);
  idle(rig, 3, 1);
  const decided = { by: 'ada', reason: 'x', sinceMs: 0, since: '2026-01-01T00:00:00.000Z' };
  const drains = [{ worker: 'w1', ...decided }];
  rig.send({ kind: 'restrictions', restrictions: { pauses: [], drains } });
  const workers = [{ worker: 'w3', architectures: ['amd64'], mayRunPrivate: true, isRevoked: false }];
  rig.send({ kind: 'workers', workers });
  arrive(rig, 1);
  expect(wake(rig)).toEqual([{ worker: 'w3', slots: [0] }]);
  const pauses = [{ suite: SUITE, ...decided }];
  rig.send({ kind: 'restrictions', restrictions: { pauses, drains: [] } });
  expect(wake(rig)).toEqual([]);
});

it('a slot that asks again or is granted something is no longer idle, nor are those of an earlier life', () => {
  const rig = new DispatcherRig([]);
  idle(rig, 1, 3);
  arrive(rig, 1);
  expect(rig.ask({ incarnation: LIFE(1), slot: 1, wakeable: true, ...READY }).reply.lease?.runId).toBe(1);
  expect(rig.state.idle.count).toBe(2);
  rig.ask({ incarnation: LIFE(2), previous: [LIFE(1)], slot: 0, wakeable: true, ...READY });
  expect(rig.state.idle.entries()).toEqual([['w1', [0]]]);
  expect(rig.state.idle.count).toBe(1);
});

describe('asks of idle slots', () => {
  const next = (rig: DispatcherRig, changes = {}) =>
    rig.ask({ incarnation: LIFE(1), wakeable: true, ...READY, ...changes }).reply.askAgainMs;

  it('the next ask of an idle slot is later the more there are, never so late that its worker counts as dead', () => {
    const rig = new DispatcherRig([]);
    idle(rig, 1, 2);
    expect(next(rig)).toBe(5_000);
    idle(rig, 50, 4);
    expect(next(rig)).toBe(10_000);
    idle(rig, 100, 20);
    expect(next(rig)).toBe(40_000);
    expect(next(rig, { wakeable: false })).toBe(5_000);
  });

  it('the next ask of an idle slot is soon while something waits that it cannot have', () => {
    const rig = new DispatcherRig([waitingRun(1, { suite: 'sid' })]);
    idle(rig, 100, 20);
    expect(next(rig)).toBe(5_000);
  });
});
