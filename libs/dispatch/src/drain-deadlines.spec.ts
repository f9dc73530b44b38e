import { BlameRig } from '@test/support/blame-rig';
import { DispatcherRig } from '@test/support/dispatcher-rig';
import { waitingRun } from '@test/support/runs';

const drain = (leftMs: number | null) => {
  const drains = [{ worker: 'w1', by: 'ada', reason: 'new disk', since: '', leftMs }];
  return { kind: 'restrictions' as const, restrictions: { pauses: [], drains } };
};
const REASON = 'worker w1 was drained by ada, and its time to finish is over: new disk';

it('the runs that a drained worker has at the deadline wait again, not before, and the worker gets the order to stop', () => {
  const rig = new DispatcherRig([1, 2].map((runId) => waitingRun(runId)));
  for (const slot of [0, 1]) rig.ask({ worker: 'w1', slot });
  rig.send(drain(5_000));
  expect(rig.state.nextDeadlineMs).toBe(rig.now + 5_000);
  expect(rig.tick(4_999)).toMatchObject({ writes: [] });
  const step = rig.tick(1);
  expect(step.writes).toMatchObject(
    [1, 2].map((runId) => ({ kind: 'requeue', runId, outcome: 'returned', reason: REASON })),
  );
  expect(step.stops).toMatchObject([1, 2].map((runId) => ({ runId, worker: 'w1', reason: REASON })));
  expect(step.workWaiting).toBe(true);
  expect(rig.ask({ worker: 'w1' }).reply.lease).toBeNull();
  expect(rig.ask({ worker: 'w2' }).reply.lease?.runId).toBe(1);
  expect(rig.tick(60_000).stops).toBeUndefined();
});

it('a drain whose deadline was taken away, or that never had one, lets all of it finish', () => {
  const rig = new DispatcherRig([waitingRun(1)]);
  rig.ask({ worker: 'w1' });
  rig.send(drain(5_000));
  rig.send(drain(null));
  expect(rig.tick(10_000).writes).toEqual([]);
});

it('a deadline that was over before the dispatcher began counts at once', () => {
  const rig = new DispatcherRig([waitingRun(1)]);
  rig.ask({ worker: 'w1' });
  rig.send(drain(-5_000));
  expect(rig.tick(0).writes).toMatchObject([{ kind: 'requeue', runId: 1 }]);
});

it('a worker that a user quarantines gets no runs, has a canary test later, and is sound when that passes or by trust', () => {
  const rig = new BlameRig();
  const orders = [{ kind: 'quarantine' as const, orderId: 1, worker: 'w1', by: 'ada', reason: 'odd disk' }];
  expect(rig.send({ kind: 'orders', orders }).writes).toMatchObject([
    { kind: 'ingest-order' },
    { kind: 'judge-worker', worker: 'w1', standing: 'quarantined', reason: 'quarantined by ada: odd disk' },
  ]);
  expect(rig.standing('w1')).toBe('quarantined');
  expect(rig.ask({ worker: 'w1' }).reply).toMatchObject({ lease: null });
  rig.now += 600_000;
  const { canary } = rig.ask({ worker: 'w1' }).reply;
  expect(canary).toBeDefined();
  rig.ask({ worker: 'w1', canary: { canary: canary!.canary, passed: true } });
  expect(rig.standing('w1')).toBe('sound');
});
