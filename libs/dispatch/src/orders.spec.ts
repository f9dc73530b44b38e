import { BlameRig } from '@test/support/blame-rig';
import { DispatcherRig } from '@test/support/dispatcher-rig';
import {
  ARCH,
  finishedReport,
  leaseRequest,
  loaded,
  settings,
  startedReport,
  waitingRun,
} from '@test/support/runs';
import { DispatcherState } from './dispatcher-state';
import type { MessageKind, MessageOf, Step } from './messages';
import { step } from './step';

const REASON = 'the run was cancelled by ada';

it('an order to publish makes a run known to everybody, where it waits and while it is executed', () => {
  const rig = new DispatcherRig([1, 2, 3].map((runId) => waitingRun(runId, { isPrivate: true })));
  rig.ask();
  rig.state.waiting.delay(rig.state.runs.find(3)!, rig.now + 1_000, 'because');
  const status = () => rig.send({ kind: 'status' }).reply;
  expect(status().queues).toEqual([]);
  const orders = [1, 2, 3, 2, 99].map((runId, index) => ({
    kind: 'publish' as const,
    place: null,
    orderId: index + 1,
    runId,
  }));
  expect(rig.send({ kind: 'orders', orders })).toEqual({
    writes: orders.map(({ orderId }) => ({ kind: 'ingest-order', orderId })),
    reply: undefined,
    stops: [],
    // Workers without the right to private runs may execute them now.
    workWaiting: true,
  });
  expect(status()).toMatchObject({ queues: [{ waiting: 2, running: 1 }], workers: [{ busy: 1 }] });
  expect(rig.explain(2)).toMatchObject({
    position: 1,
    reasons: ['the only suitable slot is busy'],
  });
  rig.finish(1);
  expect(rig.ask().reply.lease?.runId).toBe(2);
  rig.tick(1_000);
  expect(rig.ask({ slot: 1 }).reply.lease?.runId).toBe(3);
  expect(status().queues).toMatchObject([{ waiting: 0, running: 2 }]);
});

describe('cancellations', () => {
  let state: DispatcherState;
  let now: number;

  beforeEach(() => {
    now = 1_000;
    state = new DispatcherState(
      { arch: ARCH, epoch: 7 },
      settings(),
      loaded([waitingRun(1), waitingRun(2)]),
      now,
    );
    send({ kind: 'reports-waiting', attempts: [] });
  });

  function send<K extends MessageKind>(message: MessageOf<K>): Step<K> {
    return step<K>(state, message, now);
  }

  const ask = () => send({ kind: 'lease', request: leaseRequest() }).reply.lease?.runId;
  const tick = (ms: number) => {
    now += ms;
    return send({ kind: 'tick', workersReachable: true });
  };
  const cancel = (runId: number, worker: string | null = null) =>
    send({
      kind: 'orders',
      orders: [
        {
          orderId: 70 + runId,
          kind: 'cancel',
          runId,
          by: 'ada',
          attempt: 1,
          grantEpoch: 7,
          worker,
          place: null,
        },
      ],
    });

  it('an order to cancel takes a waiting run out of the queue', () => {
    expect(cancel(1)).toEqual({
      writes: [{ kind: 'ingest-order', orderId: 71 }],
      reply: undefined,
      stops: [],
    });
    expect(ask()).toBe(2);
    expect(state.runs.has(1)).toBe(false);
  });

  it('an order to cancel ends a delay', () => {
    ask();
    tick(60_000);
    expect(state.nextDeadlineMs).not.toBeNull();
    cancel(1);
    expect(state.nextDeadlineMs).toBeNull();
    expect(tick(600_000)).toEqual({ writes: [], reply: undefined, workWaiting: false });
  });

  it('an order to cancel ends a lease: its worker is notified, its slot is free, its renewal is answered stop', () => {
    ask();
    const stop = { worker: 'w1', runId: 1, attempt: 1, grantEpoch: 7, reason: REASON };
    expect(cancel(1, 'w1').stops).toEqual([stop]);
    const renewal = send({ kind: 'renew', request: startedReport(1, 1) });
    expect(renewal).toMatchObject({ writes: [], reply: { instruction: 'stop', reason: REASON } });
    expect(ask()).toBe(2);
    expect(tick(50_000).writes).toEqual([]);
  });

  it('an order to cancel leaves no report of the run that counts', () => {
    ask();
    cancel(1, 'w1');
    const report = finishedReport(1, 1);
    expect(send({ kind: 'may-finish', report })).toEqual({ writes: [], reply: 'unknown' });
    expect(send({ kind: 'finished', report })).toEqual({ writes: [], reply: 'unknown' });
    expect(send({ kind: 'started', report: startedReport(1, 1) }).writes).toEqual([]);
  });

  it('an order to cancel is ingested, and its worker is notified, though the run is not in memory', () => {
    const { writes, stops } = cancel(5, 'w1');
    expect([writes.length, stops?.length]).toEqual([1, 1]);
  });

  it('an order to cancel is remembered for the last thousand runs only', () => {
    cancel(5, 'w1');
    for (let runId = 100; runId < 1_100; runId += 1) cancel(runId);
    expect(state.cancelReasons.reasonOf(5)).toBeUndefined();
    expect(state.cancelReasons.reasonOf(1_099)).toBe(REASON);
  });
});

describe('priorities', () => {
  const reprioritise = (rig: DispatcherRig, runId: number, priority: number) =>
    rig.send({
      kind: 'orders',
      orders: [{ orderId: 9, kind: 'reprioritise', runId, priority, place: null }],
    });

  it('an order to change a priority moves a waiting run', () => {
    const rig = new DispatcherRig([waitingRun(1), waitingRun(2)]);
    expect(reprioritise(rig, 2, 6)).toEqual({
      writes: [{ kind: 'ingest-order', orderId: 9 }],
      reply: undefined,
      stops: [],
    });
    expect(rig.ask().reply.lease?.runId).toBe(2);
    expect(rig.ask({ slot: 1 }).reply.lease?.runId).toBe(1);
    expect(rig.ask({ slot: 2 }).reply.lease).toBeNull();
  });

  it('an order to change a priority goes with a run that is leased or delayed until it waits again', () => {
    const rig = new DispatcherRig([waitingRun(1)]);
    rig.ask();
    reprioritise(rig, 1, 1);
    rig.tick(60_000);
    reprioritise(rig, 1, 9);
    rig.send({ kind: 'arrivals', runs: [waitingRun(2, { priority: 8 })] });
    rig.tick(30_000);
    expect([0, 1].map((slot) => rig.ask({ slot }).reply.lease?.runId)).toEqual([1, 2]);
  });

  it('an order to change a priority is taken though the run is not in memory', () => {
    expect(reprioritise(new DispatcherRig([]), 5, 9).writes).toEqual([{ kind: 'ingest-order', orderId: 9 }]);
  });
});

it('an order about pauses and drains is ingested; another message brings the new state', () => {
  const rig = new DispatcherRig([waitingRun(1)]);
  const step = rig.send({ kind: 'orders', orders: [{ orderId: 9, kind: 'restrictions' }] });
  expect(step).toEqual({ writes: [{ kind: 'ingest-order', orderId: 9 }], reply: undefined, stops: [] });
});

describe('trust', () => {
  const order = { kind: 'trust', orderId: 5, by: 'ada', reason: 'a new disk' } as const;
  const trust = (rig: BlameRig, worker: string, reason: string | null = order.reason) =>
    rig.send({ kind: 'orders', orders: [{ ...order, worker, reason }] });

  it('an order to trust a worker ends a quarantine at once, and whatever else was held against the worker', () => {
    const rig = BlameRig.pair();
    rig.fail('w1', 3);
    rig.sendCanary('w1', rig.ask().reply, false);
    const { writes, workWaiting } = trust(rig, 'w1');
    expect(writes).toEqual([
      { kind: 'ingest-order', orderId: 5 },
      { kind: 'judge-worker', worker: 'w1', standing: 'sound', reason: 'trusted by ada: a new disk' },
    ]);
    expect(workWaiting).toBe(true);
    expect(rig.fail('w1', 2)).toEqual([]);
    expect(rig.fail('w1', 1)).toHaveLength(1);
  });

  it.each(['w2', 'unheard-of'])(
    'an order to trust a worker changes nothing for %s, which is sound',
    (worker) => {
      const rig = BlameRig.pair();
      expect(trust(rig, worker, null).writes).toEqual([{ kind: 'ingest-order', orderId: 5 }]);
    },
  );
});
