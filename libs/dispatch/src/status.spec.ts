import {
  grantOf,
  jsonBytes,
  MESSAGE_BYTES_MAX,
  STATUS_PAGE_BYTES_MAX,
  type StatusPlace,
  type StatusReply,
} from '@proctor/contracts';
import { DispatcherRig } from '@test/support/dispatcher-rig';
import { leaseRequest, registered, waitingRun } from '@test/support/runs';
import { machineFigures } from './figures';
import type { DispatchedRun } from './journal-records';

const MINUTE = 60_000;
const publicOnly = registered('w1', 'w2').map((worker) => ({ ...worker, mayRunPrivate: false }));
const DECISION = { by: 'ada', reason: 'the mirror is away', since: '2026-11-20 10:00:00' };

function statusOf(rig: DispatcherRig) {
  return rig.send({ kind: 'status' }).reply;
}

describe('workers', () => {
  it('the status of workers names those alive, their slots and what they offer', () => {
    const rig = new DispatcherRig([waitingRun(1)]);
    rig.ask({ sizeClasses: ['big'] });
    rig.ask({ slot: 1, sizeClasses: ['big'] });
    rig.ask({ worker: 'w2', problem: 'the disk is full' });
    expect(statusOf(rig)).toMatchObject({
      epoch: 7,
      workers: [
        {
          worker: 'w1',
          slots: 2,
          busy: 1,
          variants: ['autopkgtest'],
          sizeClasses: ['big'],
          standing: 'sound',
        },
        { worker: 'w2', slots: 1, busy: 0, problem: 'the disk is full' },
      ],
    });
  });

  it('the status of workers shows who is drained or quarantined, and why', () => {
    const rig = new DispatcherRig(
      [],
      {},
      {
        restrictions: { pauses: [], drains: [{ ...DECISION, worker: 'w1' }] },
        judgements: [{ worker: 'w2', standing: 'quarantined', reason: 'three failures', agoMs: 0 }],
      },
    );
    for (const worker of ['w1', 'w2', 'w3']) rig.ask({ worker });
    const [drained, quarantined, sound] = statusOf(rig).workers;
    expect(drained).toMatchObject({ standing: 'sound', drained: DECISION });
    expect(quarantined).toMatchObject({
      standing: 'quarantined',
      reason: 'it was judged by an earlier scheduler',
    });
    const all = rig.send({ kind: 'status', request: { everything: true } }).reply;
    expect(all.workers[1]).toMatchObject({ standing: 'quarantined', reason: 'three failures' });
    expect([sound?.reason, sound?.drained, quarantined?.drained]).toEqual([undefined, undefined, undefined]);
  });
});

describe('machines', () => {
  const machine = { loadPercent: 80, freeDiskMib: 900, freeDiskMibMin: 500 };
  const later = { loadPercent: 190, freeDiskMib: 700, freeDiskMibMin: 500 };

  it('the status of workers has the state of each machine that reports it, the latest', () => {
    const rig = new DispatcherRig([waitingRun(1)], {}, { workers: publicOnly });
    const lease = rig.ask({ machine }).reply.lease!;
    rig.ask({ worker: 'w2' });
    const stateOf = () => statusOf(rig).workers.map((worker) => worker.machine);
    expect(stateOf()).toEqual([machine, undefined]);
    const renewal = { ...leaseRequest(), ...grantOf(lease) };
    rig.send({ kind: 'renew', request: { ...renewal, machine: later } });
    expect(stateOf()).toEqual([later, undefined]);
    rig.send({ kind: 'renew', request: renewal });
    expect(stateOf()).toEqual([later, undefined]);
    expect(machineFigures(rig.state, rig.now)).toEqual([{ worker: 'w1', ...later }]);
  });

  it('what private runs do to a machine is shown to administrators alone', () => {
    const rig = new DispatcherRig([]);
    rig.ask({ machine });
    expect(statusOf(rig).workers[0]).not.toHaveProperty('machine');
    const all = rig.send({ kind: 'status', request: { everything: true } }).reply;
    expect(all.workers[0]).toMatchObject({ machine });
  });
});

describe('pages', () => {
  const SUITES = ['bookworm', 'bullseye', 'forky', 'sid', 'trixie'];
  const testbeds = SUITES.flatMap((suite) =>
    ['unshare', 'qemu'].map((backend) => ({
      suite,
      backend,
      state: 'building' as const,
      detail: 'for 12 s',
    })),
  );

  /** All pages, asked for one by one; each as the bus carries it. */
  function pagesOf(rig: DispatcherRig): StatusReply[] {
    const pages: StatusReply[] = [];
    for (let after: StatusPlace | undefined; pages.length === 0 || after; after = pages.at(-1)?.more) {
      pages.push(rig.send({ kind: 'status', request: after ? { after } : {} }).reply);
    }
    return pages;
  }

  it('the pages of a status have every one of 5,000 workers with ten testbeds, each once', () => {
    const names = Array.from({ length: 5_000 }, (_, n) => `worker-${String(n).padStart(5, '0')}`);
    const rig = new DispatcherRig(
      SUITES.map((suite, index) => waitingRun(index + 1, { suite })),
      { workersMax: 5_000 },
      { workers: registered(...names) },
    );
    for (const worker of [...names].reverse()) rig.ask({ worker, testbeds });
    const pages = pagesOf(rig);
    expect(jsonBytes(pages.flatMap(({ workers }) => workers))).toBeGreaterThan(3 * MESSAGE_BYTES_MAX);
    for (const page of pages) expect(jsonBytes(page)).toBeLessThan(STATUS_PAGE_BYTES_MAX + 1_000);
    expect(pages.length).toBeLessThan(20);
    expect(pages.flatMap(({ workers }) => workers.map(({ worker }) => worker))).toEqual(names);
    expect(pages.map(({ queues }) => queues.length)).toEqual([5, ...pages.slice(1).map(() => 0)]);
  });

  it('the pages of a status have room for a worker with too many testbeds, and count those that are left out', () => {
    const rig = new DispatcherRig([]);
    const detail = '\u{1f40c}'.repeat(500);
    rig.ask({
      testbeds: Array.from({ length: 1_000 }, (_, n) => ({ ...testbeds[0]!, suite: `s${n}`, detail })),
    });
    const [page, ...others] = pagesOf(rig);
    const [worker] = page!.workers;
    expect(others).toEqual([]);
    expect(jsonBytes(page)).toBeLessThan(STATUS_PAGE_BYTES_MAX);
    expect(worker!.testbeds.length).toBeGreaterThan(10);
    expect(worker!.testbedsLeftOut).toBe(1_000 - worker!.testbeds.length);
  });

  it('the pages of a status have all queues, however many and however stopped', () => {
    const suites = Array.from({ length: 2_000 }, (_, n) => `suite-${String(n).padStart(4, '0')}`);
    const reason = '\u0001'.repeat(500);
    const restrictions = { pauses: suites.map((suite) => ({ ...DECISION, suite, reason })), drains: [] };
    const rig = new DispatcherRig([], {}, { restrictions });
    rig.ask();
    const pages = pagesOf(rig);
    for (const page of pages) expect(jsonBytes(page)).toBeLessThan(STATUS_PAGE_BYTES_MAX + 1_000);
    expect(pages.flatMap(({ queues }) => queues.map(({ suite }) => suite))).toEqual(suites);
    expect(pages.flatMap(({ workers }) => workers.map(({ worker }) => worker))).toEqual(['w1']);
  });

  it('the pages of a status have a few reasons of each queue', () => {
    const rig = new DispatcherRig(
      Array.from({ length: 50 }, (_, n) => waitingRun(n + 1, { variant: `variant-${n}` })),
    );
    rig.ask();
    const [queue] = statusOf(rig).queues;
    expect(queue!.reasons).toHaveLength(20);
    expect(queue!.reasons.at(-1)).toBe('and 31 more reasons');
  });
});

describe('queues', () => {
  it('the status of queues counts what waits, wherever it waits, and what runs', () => {
    const runs = [1, 2, 3, 4].map((runId) => waitingRun(runId, { package: 'gcc' }));
    const caps = { perRequestorMax: Infinity, perPackageMax: 1, perSuiteMax: Infinity };
    const runOfLostSource = waitingRun(5, { extraAptSources: ['gone'] });
    const rig = new DispatcherRig([...runs, runOfLostSource, waitingRun(6, { suite: 'sid' })], { caps });
    rig.ask();
    rig.ask({ slot: 1 });
    rig.state.waiting.delay(rig.state.runs.find(2)!, rig.now + 1_000, 'because');
    expect(statusOf(rig).queues).toMatchObject([
      { suite: 'sid', waiting: 1, running: 0, reasons: ['no worker offers suite sid on backend unshare'] },
      { suite: 'trixie', waiting: 4, running: 1, paused: null },
    ]);
  });

  it('the status of queues shows when the waiting runs are expected to have ended', () => {
    const rig = new DispatcherRig(
      [1, 2, 3, 4].map((runId) => waitingRun(runId)),
      {
        unknownDurationMs: 10 * MINUTE,
      },
    );
    expect(statusOf(rig).queues).toMatchObject([{ emptyInMs: null }]);
    rig.ask();
    expect(statusOf(rig).queues).toMatchObject([
      { waiting: 3, emptyInMs: 40 * MINUTE, reasons: ['the only suitable slot is busy'] },
    ]);
    rig.state.waiting.delay(rig.state.runs.find(4)!, rig.now + 90 * MINUTE, 'because');
    expect(statusOf(rig).queues).toMatchObject([{ waiting: 3, emptyInMs: 100 * MINUTE }]);
    for (const runId of [2, 3, 4]) rig.state.cancel(runId, 'not needed', rig.now);
    expect(statusOf(rig).queues).toMatchObject([{ waiting: 0, running: 1, emptyInMs: 0, reasons: [] }]);
    rig.finish(1);
    expect(statusOf(rig).queues).toEqual([]);
  });

  it.each([
    ['of the lower priority', { priority: 5, arrivedAt: 9 }, { priority: 4, arrivedAt: 8 }],
    ['that arrived later at the same priority', { arrivedAt: 8 }, { arrivedAt: 9 }],
  ])('a queue is empty after the run %s, whichever of its lines comes first', (_, earlier, later) => {
    const expectedOf = (runs: DispatchedRun[]) => {
      const rig = new DispatcherRig([waitingRun(1, { package: 'quick', priority: 9 }), ...runs]);
      rig.state.durations.learn('quick', MINUTE);
      rig.state.durations.learn('slow', 60 * MINUTE);
      rig.ask();
      return statusOf(rig).queues[0]!.emptyInMs;
    };
    const quick = waitingRun(2, { ...earlier, package: 'quick', requestor: 'bob' });
    const slow = waitingRun(3, { ...later, package: 'slow', requestor: 'eve' });
    expect(expectedOf([quick, slow])).toBeGreaterThanOrEqual(60 * MINUTE);
    expect(expectedOf([slow, quick])).toBeGreaterThanOrEqual(60 * MINUTE);
  });

  it('the status of a queue has no expected end while one of its runs has no worker', () => {
    const rig = new DispatcherRig([1, 2].map((runId) => waitingRun(runId)));
    rig.send({ kind: 'arrivals', runs: [waitingRun(3, { variant: 'stub' })] });
    rig.ask();
    expect(statusOf(rig).queues).toMatchObject([
      {
        emptyInMs: null,
        reasons: ['no worker offers variant stub', 'the only suitable slot is busy'],
      },
    ]);
  });

  it('the status of queues shows pauses, also where nothing waits, and the cap of the suite', () => {
    const caps = { perRequestorMax: Infinity, perPackageMax: Infinity, perSuiteMax: 1 };
    const rig = new DispatcherRig([waitingRun(1), waitingRun(2)], { caps });
    rig.ask();
    rig.send({
      kind: 'restrictions',
      restrictions: {
        pauses: [
          { ...DECISION, suite: 'sid' },
          { ...DECISION, suite: 'trixie' },
        ],
        drains: [],
      },
    });
    const text = 'is paused by ada: the mirror is away (since 2026-11-20 10:00:00)';
    expect(statusOf(rig).queues).toMatchObject([
      { suite: 'sid', waiting: 0, emptyInMs: 0, paused: DECISION, reasons: [`suite sid ${text}`] },
      {
        suite: 'trixie',
        emptyInMs: null,
        paused: DECISION,
        reasons: [
          `suite trixie ${text}`,
          'suite trixie has 1 run running, the cap',
          'the only suitable slot is busy',
        ],
      },
    ]);
  });
});
