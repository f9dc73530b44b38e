import {
  ARCH,
  finishedReport,
  leaseRequest,
  settings,
  startedReport,
  waitingRun,
} from '../../../test/support/runs';
import { DispatcherState } from './dispatcher-state';
import type { DispatchedRun } from './journal';
import type { MessageKind, MessageOf, Step } from './messages';
import type { DispatchSettings } from './settings';
import { step } from './step';

const NEW_LIFE = '00000000-0000-4000-8000-000000000002';

/** One dispatcher, with its clock. */
class Bench {
  now = 1_000;
  readonly state: DispatcherState;

  constructor(runs: DispatchedRun[], changes: Partial<DispatchSettings> = {}) {
    this.state = new DispatcherState(ARCH, 7, settings(changes), runs, this.now);
    this.tell({ kind: 'reports-drained' });
  }

  tell<K extends MessageKind>(message: MessageOf<K>): Step<K> {
    return step<K>(this.state, message, this.now);
  }

  ask(changes = {}) {
    return this.tell({ kind: 'lease', request: leaseRequest(changes) });
  }

  tick(ms: number, hearing = true) {
    this.now += ms;
    return this.tell({ kind: 'tick', hearing });
  }

  finish(attempt: number, changes = {}) {
    return this.tell({ kind: 'finished', report: finishedReport(1, attempt, changes) });
  }

  reasons(runId = 1): string[] {
    return this.tell({ kind: 'explain', runId }).reply.reasons;
  }
}

describe('new settings', () => {
  const source = { name: 'inner', lines: ['deb http://mirror.example inner main'] };

  it('let runs go whose extra apt source has appeared, and hold those whose has gone', () => {
    const bench = new Bench([waitingRun(1, { extraAptSources: ['inner'] })]);
    expect(bench.ask().reply.lease).toBeNull();
    const { writes, workWaiting } = bench.tell({
      kind: 'settings',
      settings: settings({ extraAptSources: new Map([['inner', source]]) }),
    });
    expect({ writes, workWaiting }).toEqual({ writes: [], workWaiting: true });
    bench.tell({ kind: 'settings', settings: settings() });
    expect(bench.ask().reply.lease).toBeNull();
    expect(bench.reasons()[0]).toBe('the extra apt source inner is not configured any more');
    bench.tell({ kind: 'settings', settings: settings({ extraAptSources: new Map([['inner', source]]) }) });
    expect(bench.ask().reply.lease).toMatchObject({ runId: 1, extraAptSources: [source] });
  });

  it('leave a run alone that is leased or waits after a lost attempt', () => {
    const known = settings({ extraAptSources: new Map([['inner', source]]), attemptsMax: 9 });
    const bench = new Bench([waitingRun(1, { extraAptSources: ['inner'] })], known);
    bench.ask();
    bench.tell({ kind: 'settings', settings: { ...known, askAgainMs: 7 } });
    expect(bench.ask({ slot: 1 }).reply).toMatchObject({ lease: null, askAgainMs: 7 });
    bench.ask({ incarnation: NEW_LIFE });
    bench.tell({ kind: 'settings', settings: known });
    expect(bench.ask({ incarnation: NEW_LIFE }).reply.lease).toBeNull();
    expect(bench.reasons()[0]).toMatch(/^waits 30 s more/);
  });
});

it('a lease carries the versions that are rejected for its package, suite and architecture', () => {
  const rejectedVersions = (...asked: string[]) => [asked.join(' ')];
  const bench = new Bench([waitingRun(1, { package: 'glibc' })], { rejectedVersions });
  expect(bench.ask().reply.lease?.rejectedVersions).toEqual([`glibc trixie ${ARCH}`]);
});

describe('a lease request', () => {
  it('is granted the best run, under the next attempt', () => {
    const bench = new Bench([waitingRun(1), waitingRun(2, { priority: 9, attempt: 4 })]);
    const { writes, reply } = bench.ask();
    expect(writes).toEqual([
      { kind: 'grant', runId: 2, attempt: 5, worker: 'w1', incarnation: leaseRequest().incarnation, slot: 0 },
    ]);
    expect(reply).toMatchObject({
      arch: ARCH,
      epoch: 7,
      ask: leaseRequest().ask,
      lease: { runId: 2, attempt: 5 },
    });
  });

  it('asked again gets the lease that the slot holds, and writes nothing', () => {
    const bench = new Bench([waitingRun(1), waitingRun(2)]);
    const first = bench.ask();
    const again = bench.ask();
    expect(again.writes).toEqual([]);
    expect(again.reply.lease).toEqual(first.reply.lease);
    expect(bench.ask({ slot: 1 }).reply.lease?.runId).toBe(2);
  });

  it('of a worker that was started anew loses the lease of its former life', () => {
    const bench = new Bench([waitingRun(1)]);
    bench.ask();
    const { writes, reply } = bench.ask({ incarnation: NEW_LIFE });
    expect(writes).toMatchObject([{ kind: 'requeue', runId: 1, attempt: 1, outcome: 'lost' }]);
    expect(reply.lease).toBeNull();
    expect(bench.tick(30_000).workWaiting).toBe(true);
    expect(bench.ask({ incarnation: NEW_LIFE }).reply.lease).toMatchObject({ runId: 1, attempt: 2 });
  });

  it('with a problem is never granted', () => {
    expect(new Bench([waitingRun(1)]).ask({ problem: 'the disk is full' }).reply.lease).toBeNull();
  });

  it.each([
    ['another suite', { testbeds: [{ suite: 'sid', backend: 'unshare', state: 'ready' }] }],
    ['another backend', { testbeds: [{ suite: 'trixie', backend: 'qemu', state: 'ready' }] }],
    [
      'an image still being built',
      { testbeds: [{ suite: 'trixie', backend: 'unshare', state: 'building' }] },
    ],
    ['another variant', { variants: ['stub'] }],
  ])('that offers %s gets nothing', (_, offer) => {
    expect(new Bench([waitingRun(1)]).ask(offer).reply.lease).toBeNull();
  });

  it('is told of a suite that it never named, when it can build images of any', () => {
    const bench = new Bench([waitingRun(1, { suite: 'forky' })]);
    expect(bench.ask({ testbeds: [] }).reply.wanted).toEqual([]);
    expect(bench.ask({ testbeds: [], builds: ['unshare'] }).reply.wanted).toEqual([
      { suite: 'forky', backend: 'unshare' },
    ]);
  });

  it('is told which absent testbeds waiting runs need', () => {
    const bench = new Bench([waitingRun(1), waitingRun(2, { suite: 'sid', variant: 'stub' })]);
    const testbeds = ['trixie', 'sid', 'bookworm'].map((suite) => ({
      suite,
      backend: 'unshare',
      state: 'absent',
    }));
    expect(bench.ask({ testbeds }).reply.wanted).toEqual([{ suite: 'trixie', backend: 'unshare' }]);
  });

  it('carries the extra apt sources whole; a run whose source is gone waits', () => {
    const extra = { name: 'extra', lines: ['deb http://example.org/ ./'] };
    const runs = [
      waitingRun(1, { extraAptSources: ['gone'] }),
      waitingRun(2, { extraAptSources: ['extra'] }),
    ];
    const bench = new Bench(runs, { extraAptSources: new Map([['extra', extra]]) });
    expect(bench.ask().reply.lease).toMatchObject({ runId: 2, extraAptSources: [extra] });
    expect(bench.ask({ slot: 1 }).reply.lease).toBeNull();
    expect(bench.reasons()[0]).toBe('the extra apt source gone is not configured any more');
  });
});

describe('a lease', () => {
  const renewal = (attempt: number) => ({ ...startedReport(1, attempt) });

  it('lives as long as it is renewed', () => {
    const bench = new Bench([waitingRun(1)]);
    bench.ask();
    for (let renewals = 0; renewals < 10; renewals += 1) {
      expect(bench.tick(50_000).writes).toEqual([]);
      expect(bench.tell({ kind: 'renew', request: renewal(1) }).reply.instruction).toBe('continue');
    }
  });

  it('expires; the run waits longer after each attempt and ends after the last', () => {
    const bench = new Bench([waitingRun(1)]);
    bench.ask();
    expect(bench.tick(59_999).writes).toEqual([]);
    expect(bench.tick(1).writes).toMatchObject([{ kind: 'requeue', attempt: 1, outcome: 'expired' }]);
    expect(bench.tell({ kind: 'renew', request: renewal(1) }).reply.instruction).toBe('stop');
    bench.tick(29_999);
    expect(bench.ask().reply.lease).toBeNull();
    bench.tick(1);
    expect(bench.ask().reply.lease?.attempt).toBe(2);
    bench.tick(60_000);
    bench.tick(60_000);
    expect(bench.ask().reply.lease?.attempt).toBe(3);
    expect(bench.tick(60_000).writes).toMatchObject([
      { kind: 'finish', attempt: 3, attemptOutcome: 'expired', outcome: { verdict: 'tmpfail' } },
    ]);
    expect(bench.state.nextDeadlineMs).toBeNull();
  });

  it('handed back leaves the run waiting at once and counts for nothing', () => {
    const bench = new Bench([waitingRun(1)], { attemptsMax: 1 });
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      expect(bench.ask().reply.lease?.attempt).toBe(attempt);
      const { writes, reply, workWaiting } = bench.tell({
        kind: 'return',
        request: { ...renewal(attempt), reason: 'not waited for' },
      });
      expect(writes).toMatchObject([{ kind: 'requeue', attempt, outcome: 'returned' }]);
      expect([reply.returned, workWaiting]).toEqual([true, true]);
    }
  });

  it.each([
    ['attempt', { attempt: 2 }],
    ['slot', { slot: 1 }],
    ['worker', { worker: 'w2' }],
    ['incarnation', { incarnation: NEW_LIFE }],
  ])('of another %s is neither renewed nor returned', (_, changes) => {
    const bench = new Bench([waitingRun(1)]);
    bench.ask();
    const request = { ...renewal(1), ...changes, reason: 'mine' };
    expect(bench.tell({ kind: 'renew', request }).reply.instruction).toBe('stop');
    const back = bench.tell({ kind: 'return', request });
    expect([back.reply.returned, back.writes]).toEqual([false, []]);
  });

  const leased = () =>
    waitingRun(1, {
      attempt: 1,
      latestWorker: 'w1',
      lease: { worker: 'w1', incarnation: leaseRequest().incarnation, slot: 0, state: 'running' },
    });

  it('does not expire after a load before its reports were drained', () => {
    const state = new DispatcherState(ARCH, 7, settings(), [leased()], 0);
    expect(step<'tick'>(state, { kind: 'tick', hearing: true }, 600_000).writes).toEqual([]);
    expect(state.nextDeadlineMs).toBeNull();
    step(state, { kind: 'reports-drained' }, 600_000);
    expect(step<'tick'>(state, { kind: 'tick', hearing: true }, 600_000).writes).toHaveLength(1);
  });

  it('does not expire after a load before a full time-to-live', () => {
    const bench = new Bench([leased()]);
    expect(bench.tick(59_999).writes).toEqual([]);
    expect(bench.tick(1).writes).toHaveLength(1);
  });

  it('does not expire while nobody can be heard, nor for a time-to-live after that', () => {
    const bench = new Bench([waitingRun(1)]);
    bench.ask();
    expect(bench.tick(120_000, false).writes).toEqual([]);
    expect(bench.tick(59_999).writes).toEqual([]);
    expect(bench.tick(1).writes).toHaveLength(1);
  });
});

describe('a report', () => {
  it('of the start is written once, and not after the end', () => {
    const bench = new Bench([waitingRun(1)]);
    bench.ask();
    const started = () => bench.tell({ kind: 'started', report: startedReport(1, 1) }).writes;
    expect(started()).toEqual([{ kind: 'start', runId: 1, attempt: 1 }]);
    expect(started()).toEqual([]);
    bench.finish(1);
    expect(started()).toEqual([]);
  });

  it('of the end finishes the run; told again it is not known', () => {
    const bench = new Bench([waitingRun(1)]);
    bench.ask();
    const { writes, reply } = bench.finish(1);
    expect(reply).toBe('counts');
    expect(writes).toMatchObject([
      { kind: 'finish', attempt: 1, attemptOutcome: 'finished', worker: 'w1', outcome: { verdict: 'pass' } },
    ]);
    expect(bench.finish(1)).toEqual({ writes: [], reply: 'unknown' });
  });

  it('of the latest attempt counts though the run waits again, also from the worker’s next life', () => {
    const bench = new Bench([waitingRun(1)]);
    bench.ask();
    bench.tick(60_000);
    expect(bench.finish(1, { incarnation: NEW_LIFE }).reply).toBe('counts');
    expect(bench.state.nextDeadlineMs).toBeNull();
    expect(bench.tick(600_000).workWaiting).toBe(false);
  });

  it('of an earlier attempt or of another worker changes nothing', () => {
    const bench = new Bench([waitingRun(1)]);
    bench.ask();
    bench.tick(60_000);
    bench.tick(30_000);
    bench.ask();
    expect(bench.finish(1)).toEqual({ writes: [], reply: 'stale' });
    expect(bench.finish(2, { worker: 'w2' })).toEqual({ writes: [], reply: 'foreign' });
    expect(bench.finish(2).reply).toBe('counts');
  });

  it('that may count keeps its run from another slot while its files are stored', () => {
    const bench = new Bench([waitingRun(1)]);
    bench.ask();
    bench.tick(60_000);
    bench.now += 20_000;
    bench.tell({ kind: 'may-finish', report: finishedReport(1, 1) });
    bench.tick(59_999);
    expect(bench.ask({ worker: 'w2' }).reply.lease).toBeNull();
    expect(bench.finish(1).reply).toBe('counts');
  });

  it('that may count frees its slot', () => {
    const bench = new Bench([waitingRun(1), waitingRun(2)]);
    bench.ask();
    bench.tell({ kind: 'may-finish', report: finishedReport(1, 1) });
    expect(bench.ask({ incarnation: NEW_LIFE }).reply.lease?.runId).toBe(2);
    expect(bench.finish(1).reply).toBe('counts');
    expect(bench.ask({ incarnation: NEW_LIFE }).reply.lease?.runId).toBe(2);
  });
});

describe('arrivals', () => {
  it('are taken in once, and wake idle workers', () => {
    const bench = new Bench([waitingRun(1)]);
    const { writes, workWaiting } = bench.tell({ kind: 'arrivals', runs: [waitingRun(1), waitingRun(2)] });
    expect(writes).toEqual([1, 2].map((runId) => ({ kind: 'take-in', runId })));
    expect(workWaiting).toBe(true);
    expect(bench.ask().reply.lease?.runId).toBe(1);
    expect(bench.ask({ slot: 1 }).reply.lease?.runId).toBe(2);
    expect(bench.ask({ slot: 2 }).reply.lease).toBeNull();
  });
});
