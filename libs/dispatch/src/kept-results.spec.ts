import { DispatcherRig } from '@test/support/dispatcher-rig';
import { leaseRequest, waitingRun } from '@test/support/runs';

const NEW_LIFE = '00000000-0000-4000-8000-000000000002';
const KEPT = { kept: [{ runId: 1, attempt: 1 }] };
const TTL_MS = 60_000;
const LONGEST_MS = 10 * TTL_MS;

/** Run 1, whose attempt of w1 has expired, waits again for any slot. */
function expired(): DispatcherRig {
  const rig = new DispatcherRig([waitingRun(1)]);
  rig.ask();
  rig.tick(TTL_MS);
  rig.tick(TTL_MS);
  return rig;
}

it('a run whose result waits on its worker is not granted, and finishes when the result comes', () => {
  const rig = expired();
  expect(rig.ask({ slot: 1, ...KEPT }).reply.lease).toBeNull();
  expect(rig.reasons()[0]).toContain('its result is on its way from worker w1');
  rig.tick(TTL_MS - 1);
  expect(rig.ask({ worker: 'w2' }).reply.lease).toBeNull();
  expect(rig.finish(1).writes).toMatchObject([{ kind: 'finish', attempt: 1 }]);
});

it('a run waits for a kept result for a time-to-live since the last ask that named it', () => {
  const rig = expired();
  rig.ask({ slot: 1, ...KEPT });
  rig.tick(TTL_MS - 1);
  rig.ask({ slot: 1, ...KEPT });
  rig.tick(TTL_MS - 1);
  expect(rig.ask({ worker: 'w2' }).reply.lease).toBeNull();
  rig.tick(1);
  expect(rig.ask({ worker: 'w2' }).reply.lease).toMatchObject({ runId: 1, attempt: 2 });
});

it('a run does not wait without end for a kept result that never comes', () => {
  const rig = expired();
  let waitedMs = 0;
  while (rig.ask({ slot: 1, ...KEPT }).reply.lease === null && waitedMs < 2 * LONGEST_MS) {
    rig.tick(5_000);
    waitedMs += 5_000;
  }
  expect(waitedMs).toBe(LONGEST_MS);
});

it.each([
  ['of an earlier attempt', { kept: [{ runId: 1, attempt: 0 }] }],
  ['of another worker', { ...KEPT, worker: 'w2' }],
  ['of another run', { kept: [{ runId: 2, attempt: 1 }] }],
])('a run is not kept from any worker by a result %s', (_what, changes) => {
  expect(expired().ask({ slot: 1, ...changes }).reply.lease).toMatchObject({ runId: 1, attempt: 2 });
});

it('a run is not kept from any worker by a result that was ingested already', () => {
  const rig = new DispatcherRig([waitingRun(1)]);
  rig.ask();
  rig.finish(1, { verdict: 'tmpfail' });
  rig.tick(TTL_MS);
  expect(rig.ask({ slot: 1, ...KEPT }).reply.lease).toMatchObject({ runId: 1, attempt: 2 });
});

it('a run whose result waits on its worker keeps the longer delay that it has', () => {
  const rig = new DispatcherRig([waitingRun(1)], {
    retry: { attemptsMax: 3, delayMs: 4 * TTL_MS, delayMaxMs: 4 * TTL_MS },
  });
  rig.ask();
  rig.tick(TTL_MS);
  rig.ask({ slot: 1, ...KEPT });
  rig.tick(2 * TTL_MS);
  expect(rig.ask({ worker: 'w2' }).reply.lease).toBeNull();
});

it('a kept result is not lost with the life of its worker, whose slot is free for another run', () => {
  const rig = new DispatcherRig([waitingRun(1), waitingRun(2)]);
  rig.ask();
  const { writes, reply } = rig.ask({
    incarnation: NEW_LIFE,
    previous: [leaseRequest().incarnation],
    ...KEPT,
  });
  expect(writes).toMatchObject([{ kind: 'grant', runId: 2 }]);
  expect(reply.lease).toMatchObject({ runId: 2 });
  rig.tick(TTL_MS - 1);
  expect(rig.finish(1).writes).toMatchObject([{ kind: 'finish', attempt: 1 }]);
});

it('the lease of a run whose result waits is renewed by its own slot alone while that lives', () => {
  const rig = new DispatcherRig([waitingRun(1)]);
  rig.ask();
  rig.tick(TTL_MS - 1);
  rig.ask({ slot: 1, ...KEPT });
  expect(rig.tick(1).writes).toMatchObject([{ kind: 'requeue', outcome: 'expired' }]);
});
