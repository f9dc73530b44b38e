import {
  ARCH,
  finishedReport,
  leaseRequest,
  settings,
  startedReport,
  waitingRun,
} from '../../../test/support/runs';
import { DispatcherState } from './dispatcher-state';
import type { MessageKind, MessageOf, Step } from './messages';
import { step } from './step';

const REASON = 'the run was cancelled by ada';

describe('an order to cancel', () => {
  let state: DispatcherState;
  let now: number;

  beforeEach(() => {
    now = 1_000;
    state = new DispatcherState(ARCH, 7, settings(), [waitingRun(1), waitingRun(2)], now);
    tell({ kind: 'reports-drained' });
  });

  function tell<K extends MessageKind>(message: MessageOf<K>): Step<K> {
    return step<K>(state, message, now);
  }

  const ask = () => tell({ kind: 'lease', request: leaseRequest() }).reply.lease?.runId;
  const tick = (ms: number) => {
    now += ms;
    return tell({ kind: 'tick', hearing: true });
  };
  const cancel = (runId: number, worker: string | null = null) =>
    tell({
      kind: 'orders',
      orders: [{ orderId: 70 + runId, kind: 'cancel', runId, by: 'ada', attempt: 1, worker }],
    });

  it('takes a waiting run out of the queue', () => {
    expect(cancel(1)).toEqual({
      writes: [{ kind: 'order-taken', orderId: 71, runId: 1 }],
      reply: undefined,
      stops: [],
    });
    expect(ask()).toBe(2);
    expect(state.runs.has(1)).toBe(false);
  });

  it('ends a delay', () => {
    ask();
    tick(60_000);
    expect(state.nextDeadlineMs).not.toBeNull();
    cancel(1);
    expect(state.nextDeadlineMs).toBeNull();
    expect(tick(600_000)).toEqual({ writes: [], reply: undefined, workWaiting: false });
  });

  it('ends a lease: its worker hears of it, its slot is free, its renewal is answered stop', () => {
    ask();
    expect(cancel(1, 'w1').stops).toEqual([{ worker: 'w1', runId: 1, attempt: 1, reason: REASON }]);
    const renewal = tell({ kind: 'renew', request: startedReport(1, 1) });
    expect(renewal).toMatchObject({ writes: [], reply: { instruction: 'stop', reason: REASON } });
    expect(ask()).toBe(2);
    expect(tick(50_000).writes).toEqual([]);
  });

  it('leaves no report of the run that counts', () => {
    ask();
    cancel(1, 'w1');
    const report = finishedReport(1, 1);
    expect(tell({ kind: 'may-finish', report })).toEqual({ writes: [], reply: 'unknown' });
    expect(tell({ kind: 'finished', report })).toEqual({ writes: [], reply: 'unknown' });
    expect(tell({ kind: 'started', report: startedReport(1, 1) }).writes).toEqual([]);
  });

  it('is taken, and its worker hears of it, though the run is not in memory', () => {
    const { writes, stops } = cancel(5, 'w1');
    expect([writes.length, stops?.length]).toEqual([1, 1]);
  });

  it('is remembered for the last thousand runs only', () => {
    cancel(5, 'w1');
    for (let runId = 100; runId < 1_100; runId += 1) cancel(runId);
    expect(state.cancellations.reasonOf(5)).toBeUndefined();
    expect(state.cancellations.reasonOf(1_099)).toBe(REASON);
  });
});
