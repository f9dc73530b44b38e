import type { LeaseRequest } from '@proctor/contracts';
import { DispatcherRig } from '@test/support/dispatcher-rig';
import { finishedReport, leaseRequest, startedReport, waitingRun } from '@test/support/runs';
import type { GrantedLease } from './journal-records';

const FIRST = leaseRequest().incarnation;
const SECOND = '00000000-0000-4000-8000-000000000002';
const THIRD = '00000000-0000-4000-8000-000000000003';
const REFUSED = expect.stringMatching(
  /^another process that calls itself worker w1 is alive:.*for 60 s; each/,
);
const NOTICE = expect.stringMatching(/^another process calls itself worker w1, too, and is granted nothing;/);
/** As a slot that renews asks for it. */
const HELD = { worker: 'w1', incarnation: FIRST, slot: 0, runId: 1, attempt: 1 };

function rigWith(runs = 3): DispatcherRig {
  return new DispatcherRig(Array.from({ length: runs }, (_, index) => waitingRun(index + 1)));
}

function renew(rig: DispatcherRig, changes = {}) {
  return rig.send({ kind: 'renew', request: { ...HELD, ...changes } }).reply;
}

/** Requests of w1 are granted nothing, and get the reason. */
function isRefused(rig: DispatcherRig, changes: Partial<LeaseRequest>): void {
  const { writes, reply } = rig.ask(changes);
  expect(writes).toEqual([]);
  expect(reply).toMatchObject({ lease: null, wanted: [], refused: REFUSED });
}

describe('second processes', () => {
  it('a second process of the same name is refused while the first one sends messages and keeps its leases; both get a warning', () => {
    const rig = rigWith();
    rig.ask();
    for (const slot of [0, 1, 0]) isRefused(rig, { incarnation: SECOND, slot });
    expect(renew(rig)).toMatchObject({ instruction: 'continue', notice: NOTICE });
    const { lease, notice } = rig.ask({ slot: 1 }).reply;
    expect([lease?.runId, notice]).toEqual([2, NOTICE]);
    expect(rig.send({ kind: 'status' }).reply.workers).toMatchObject([
      { worker: 'w1', slots: 2, problem: NOTICE },
    ]);
    expect(renew(rig, { incarnation: SECOND })).toMatchObject({ instruction: 'stop' });
  });

  it('a second process of the same name is refused for as long as the first one renews, though that asks for nothing', () => {
    const rig = rigWith();
    rig.ask();
    for (let times = 0; times < 10; times += 1) {
      rig.now += 15_000;
      renew(rig);
      isRefused(rig, { incarnation: SECOND });
    }
  });

  it('a second process of the same name is admitted once the first one was silent for the time-to-live', () => {
    const rig = rigWith();
    rig.ask();
    rig.tick(59_999);
    isRefused(rig, { incarnation: SECOND });
    expect(rig.tick(1).writes).toMatchObject([{ kind: 'requeue', outcome: 'expired' }]);
    expect(rig.ask({ incarnation: SECOND }).reply).toMatchObject({ lease: { runId: 2 } });
    isRefused(rig, {});
  });

  it('a second process of the same name waits longer while leases of the first one cannot expire', () => {
    const rig = rigWith();
    rig.state.expiry.reportsWaiting = null;
    rig.ask();
    rig.tick(600_000);
    isRefused(rig, { incarnation: SECOND });
    rig.send({ kind: 'finished', report: finishedReport(1, 1) });
    expect(rig.ask({ incarnation: SECOND }).reply.lease?.runId).toBe(2);
  });

  it('a second process of the same name waits longer when workers could not reach the dispatcher meanwhile', () => {
    const rig = rigWith();
    rig.ask();
    rig.tick(40_000, false);
    rig.tick(59_999);
    isRefused(rig, { incarnation: SECOND });
    rig.tick(1);
    expect(rig.ask({ incarnation: SECOND }).reply.lease?.runId).toBe(2);
  });

  it('a process gets no warning of a second one of its name when that is gone', () => {
    const rig = rigWith();
    rig.ask();
    isRefused(rig, { incarnation: SECOND });
    rig.now += 59_999;
    expect(renew(rig).notice).toEqual(NOTICE);
    rig.now += 1;
    expect(renew(rig)).not.toHaveProperty('notice');
    expect(rig.ask({ slot: 1 }).reply).not.toHaveProperty('notice');
    expect(rig.send({ kind: 'status' }).reply.workers[0]).not.toHaveProperty('problem');
  });

  it('a second process of the same name changes nothing by what it offers or says of a canary test', () => {
    const rig = rigWith();
    rig.ask({ variants: ['other'] });
    isRefused(rig, { incarnation: SECOND, canary: { canary: '7.1', passed: true, message: 'fine' } });
    expect(rig.send({ kind: 'status' }).reply.workers).toMatchObject([{ variants: ['other'] }]);
  });
});

describe('restarts', () => {
  it('a worker that was started again replaces its former life at once, and any earlier one', () => {
    const rig = rigWith();
    rig.ask();
    const { writes } = rig.ask({ incarnation: THIRD, previous: [SECOND, FIRST] });
    expect(writes).toMatchObject([
      { kind: 'requeue', runId: 1, outcome: 'lost', reason: 'worker w1 was started again' },
      { kind: 'grant', runId: 2, incarnation: THIRD },
    ]);
  });

  it('a worker that was started again is not disturbed by what its former life sent before it ended', () => {
    const rig = rigWith();
    rig.ask();
    rig.ask({ incarnation: SECOND, previous: [FIRST] });
    isRefused(rig, {});
    expect(rig.ask({ incarnation: SECOND, previous: [FIRST] }).reply).not.toHaveProperty('notice');
    expect(renew(rig)).toMatchObject({ instruction: 'stop' });
  });

  it('a worker that was started again waits when its work folder was lost', () => {
    const rig = rigWith();
    rig.ask();
    isRefused(rig, { incarnation: SECOND, previous: [] });
  });
});

describe('takeovers', () => {
  const lease = (incarnation: string, slot: number, heldMs: number): GrantedLease => {
    return { worker: 'w1', incarnation, slot, state: 'running', heldMs };
  };
  const restoredRig = (...leases: GrantedLease[]) => {
    const runs = leases.map((grantedLease, place) => {
      return waitingRun(place + 1, { attempt: 1, lease: grantedLease, latestWorker: 'w1' });
    });
    return new DispatcherRig([...runs, waitingRun(9)]);
  };

  it('after a takeover the present leases show which process has the name', () => {
    const rig = restoredRig(lease(FIRST, 0, 5_000));
    isRefused(rig, { incarnation: SECOND, slot: 1 });
    expect(rig.ask({ slot: 1 }).reply.lease?.runId).toBe(9);
  });

  it('the latest of the leases counts after a takeover', () => {
    const rig = restoredRig(lease(SECOND, 0, 5_000), lease(FIRST, 1, 90_000));
    isRefused(rig, { incarnation: FIRST, slot: 1 });
    const { writes } = rig.ask({ incarnation: SECOND, slot: 1 });
    expect(writes).toMatchObject([{ kind: 'requeue', runId: 2, outcome: 'lost' }, { kind: 'grant' }]);
  });

  it('a worker without a lease has its name after a takeover as soon as it asks', () => {
    const rig = new DispatcherRig([waitingRun(1)]);
    rig.send({ kind: 'started', report: startedReport(1, 1) });
    expect(rig.ask({ incarnation: SECOND }).reply.lease?.runId).toBe(1);
    isRefused(rig, {});
  });
});
