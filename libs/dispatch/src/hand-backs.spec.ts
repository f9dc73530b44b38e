import { DispatcherRig } from '@test/support/dispatcher-rig';
import { leaseRequest, startedReport, waitingRun } from '@test/support/runs';

const NEW_LIFE = '00000000-0000-4000-8000-000000000002';

function makeRig() {
  const rig = new DispatcherRig([waitingRun(1)]);
  const ask = (slot = {}) => rig.send({ kind: 'lease', request: leaseRequest(slot) }).reply;
  const handBack = (attempt: number, slot = {}) => {
    const request = { ...startedReport(1, attempt), ...slot, reason: 'its answer is not accepted' };
    return rig.send({ kind: 'return', request });
  };
  return { rig, ask, handBack };
}

it('a slot that hands back one lease after the other rests, longer each time, and says when to ask again', () => {
  const { rig, ask, handBack } = makeRig();
  ask();
  // One may be a grant that came late.
  handBack(1);
  const rests: number[] = [];
  for (let attempt = 2; attempt <= 10; attempt += 1) {
    expect(ask().lease?.attempt).toBe(attempt);
    handBack(attempt);
    const { lease, askAgainMs } = ask();
    expect(lease).toBeNull();
    rests.push(askAgainMs);
    rig.tick(askAgainMs - 1);
    expect(ask().lease).toBeNull();
    rig.tick(1);
  }
  expect(rests).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1_000));
});

it('however long a slot refuses everything, its run has few attempts, and none counts', () => {
  const { rig, ask, handBack } = makeRig();
  for (let ms = 0; ms < 600_000; ms += 10) {
    const { lease } = ask();
    if (lease) handBack(lease.attempt);
    rig.tick(10);
  }
  const { attempt, attemptsLost } = rig.state.runs.find(1)!;
  expect(attempt).toBeLessThanOrEqual(20);
  expect(attemptsLost).toBe(0);
});

it('another slot is granted at once what a slot has handed back', () => {
  const { ask, handBack } = makeRig();
  for (const attempt of [1, 2]) {
    ask();
    expect(handBack(attempt).workWaiting).toBe(true);
  }
  expect(ask().lease).toBeNull();
  expect(ask({ slot: 1 }).lease?.attempt).toBe(3);
});

it('a slot of a worker that was started again does not rest', () => {
  const { ask, handBack } = makeRig();
  for (const attempt of [1, 2]) {
    ask();
    handBack(attempt);
  }
  const { incarnation } = leaseRequest();
  expect(ask({ incarnation: NEW_LIFE, previous: [incarnation] }).lease?.attempt).toBe(3);
});

it.each([
  ['has begun a test', (rig: DispatcherRig) => rig.send({ kind: 'started', report: startedReport(1, 2) })],
  ['has had a result', (rig: DispatcherRig) => rig.finish(2)],
])('a slot that %s in between has handed back once alone', (_what, begins) => {
  const { rig, ask, handBack } = makeRig();
  ask();
  handBack(1);
  ask();
  begins(rig);
  handBack(2);
  rig.send({ kind: 'arrivals', runs: [waitingRun(2)] });
  const next = ask().lease!;
  rig.send({ kind: 'return', request: { ...startedReport(next.runId, next.attempt), reason: 'no' } });
  expect(ask().lease).not.toBeNull();
});
