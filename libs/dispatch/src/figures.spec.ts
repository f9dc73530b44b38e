import { DispatcherRig } from '@test/support/dispatcher-rig';
import { registered, SUITE, waitingRun } from '@test/support/runs';
import { bandOf, openSlots, queueFigures, workerFigures } from './figures';

it.each([
  [10, 'high'],
  [8, 'high'],
  [7, 'normal'],
  [4, 'normal'],
  [3, 'low'],
  [1, 'low'],
])('priority %i is of the band %s', (priority, band) => {
  expect(bandOf({ priority })).toBe(band);
});

it('runs are counted by suite and band, private ones among them, with the wait of the oldest', () => {
  const rig = new DispatcherRig([
    waitingRun(1, { priority: 9 }),
    waitingRun(2, { waitedMs: 5_000, priority: 5 }),
    waitingRun(3, { waitedMs: 90_000, priority: 5, isPrivate: true }),
    waitingRun(4, { suite: 'other', priority: 5 }),
  ]);
  rig.ask();
  rig.now += 1_000;
  expect(queueFigures(rig.state, rig.now)).toEqual([
    { suite: SUITE, band: 'high', waiting: 0, running: 1, oldestMs: 0 },
    { suite: SUITE, band: 'normal', waiting: 2, running: 0, oldestMs: 91_000 },
    { suite: 'other', band: 'normal', waiting: 1, running: 0, oldestMs: 1_000 },
  ]);
});

it('runs beyond memory are counted once the rows have been counted', () => {
  const first = waitingRun(1);
  const rig = new DispatcherRig(
    [first],
    { window: { runsMax: 1, refillBelow: 0, blockRuns: 10 } },
    { edges: [{ ...first }] },
  );
  const waiting = () => queueFigures(rig.state, rig.now)[0]?.waiting;
  expect(waiting()).toBe(1);
  const [of] = rig.state.lines.listUncounted(10);
  rig.send({
    kind: 'counted',
    counts: [{ of: of!, parts: [{ end: { arrivedAt: 9, runId: 9 }, count: 8 }], isAll: true }],
  });
  expect(waiting()).toBe(9);
});

it('registered workers are counted by how they stand; one that is drained is not missed', () => {
  const decision = { by: 'ada', reason: 'repair', since: '2026-11-20 10:00:00' };
  const rig = new DispatcherRig(
    [],
    {},
    {
      workers: registered('w1', 'w2', 'w3', 'w4'),
      judgements: [{ worker: 'w2', standing: 'quarantined', reason: 'three failures', agoMs: 0 }],
      restrictions: { pauses: [], drains: [{ ...decision, worker: 'w3' }] },
    },
  );
  for (const worker of ['w1', 'w2']) rig.ask({ worker });
  const figures = { sound: 1, slowed: 0, quarantined: 1, drained: 1, silent: 1 };
  expect(workerFigures(rig.state, rig.now)).toEqual(figures);
  rig.now += 60_000;
  expect(workerFigures(rig.state, rig.now)).toEqual(figures);
  rig.now += 1;
  expect(workerFigures(rig.state, rig.now)).toMatchObject({ sound: 0, quarantined: 0, silent: 3 });
});

it('a worker that is busy with other architectures is not silent', () => {
  const rig = new DispatcherRig([], {}, { workers: registered('w1') });
  rig.ask({ worker: 'w1', slot: 1, onlyHeld: true, busyElsewhere: [0, 1] });
  expect(workerFigures(rig.state, rig.now)).toMatchObject({ sound: 1, silent: 0 });
});

it('slots are open on workers that ask for work, have no problem, and are neither drained nor quarantined', () => {
  const decision = { by: 'ada', reason: 'repair', since: '2026-11-20 10:00:00' };
  const rig = new DispatcherRig(
    [],
    {},
    {
      workers: registered('w1', 'w2', 'w3', 'w4', 'w5'),
      judgements: [{ worker: 'w2', standing: 'quarantined', reason: 'three failures', agoMs: 0 }],
      restrictions: { pauses: [], drains: [{ ...decision, worker: 'w3' }] },
    },
  );
  for (const worker of ['w1', 'w2', 'w3']) rig.ask({ worker });
  rig.ask({ worker: 'w1', slot: 1 });
  rig.ask({ worker: 'w4', problem: 'the disk is full' });
  expect(openSlots(rig.state, rig.now)).toBe(2);
  rig.now += 60_001;
  expect(openSlots(rig.state, rig.now)).toBe(0);
});
