import type { StatusReply } from '@proctor/contracts';
import * as fc from 'fast-check';
import { DispatcherRig } from '@test/support/dispatcher-rig';
import { finishedReport, waitingRun } from '@test/support/runs';
import type { DispatchedRun, LinePlace, Order } from './journal-records';
import type { Beyond } from './view';
import type { MessageOf, Replies } from './messages';
import { arrivedBefore } from './order';
import type { DispatchSettings } from './settings';

const HOUR = 3_600_000;
const SLOTS = 3;
/** The sizes of a block, and of a part that is counted at a time. */
const BLOCK_RUNS = 2;
const COUNTED_MAX = 5;

/** The rows of runs that were never granted, and a dispatcher that holds few of them. */
class Windowed {
  readonly rig: DispatcherRig;
  pages = 0;

  constructor(
    private readonly rows: Map<number, DispatchedRun>,
    settings: Partial<DispatchSettings>,
    private readonly pageLength: number,
  ) {
    this.rig = new DispatcherRig([], {
      ...settings,
      window: { runsMax: pageLength, refillBelow: 1, blockRuns: BLOCK_RUNS },
    });
  }

  /** Handles the slot's ask, again and again while it cannot be decided. */
  ask(slot: number, changes: object) {
    for (let tries = 0; ; tries += 1) {
      const { reply, isUndecided } = this.rig.ask({ slot, ...changes });
      if (!isUndecided) return reply;
      expect(tries).toBeLessThan(100);
      expect(this.refill()).toBeGreaterThan(0);
    }
  }

  refill(): number {
    const due = this.rig.state.lines.due();
    for (const after of due) {
      const runs = this.after(after).slice(0, this.pageLength);
      this.pages += 1;
      this.rig.send({ kind: 'line', after, runs, isEnd: runs.length < this.pageLength });
    }
    return due.length;
  }

  /** Handles a question of a person, again and again while runs that it is about have to be counted. */
  look<K extends 'explain' | 'status'>(message: MessageOf<K>): Replies[K] {
    const beyond = this.beyond('runId' in message ? message.runId : null);
    for (let tries = 0; ; tries += 1) {
      const { reply, isUndecided } = this.rig.send<K>({ ...message, beyond });
      if (!isUndecided) return reply;
      expect(tries).toBeLessThan(100);
      this.count();
    }
  }

  /** Counts a part of what has to be counted. */
  private count(): void {
    const counts = this.rig.state.lines.listUncounted(3).map((of) => {
      const { after, upTo } = of.stretch;
      const runs = this.after({ ...of.place, arrivedAt: after.arrivedAt, runId: after.runId })
        .filter((run) => !upTo || !arrivedBefore(upTo, run))
        .slice(0, COUNTED_MAX);
      const ends = runs.filter((_, index) => (index + 1) % BLOCK_RUNS === 0 || index === runs.length - 1);
      const parts = ends.map((end, index) => {
        const before = runs.indexOf(ends[index - 1] ?? end);
        return { end, count: index === 0 ? before + 1 : runs.indexOf(end) - before };
      });
      return { of, parts, isAll: runs.length < COUNTED_MAX };
    });
    expect(counts.length).toBeGreaterThan(0);
    this.rig.send({ kind: 'counted', counts });
  }

  /** What an actor reads for an explanation or a status. */
  private beyond(runId: number | null): Beyond {
    const { state, now } = this.rig;
    const edges = [...state.lines.beyond].flatMap(({ edge }) => edge ?? []);
    const lasts = edges.flatMap((edge) => this.after(edge).at(-1) ?? []);
    const row = runId === null ? undefined : this.rows.get(runId);
    const run = row && !state.runs.has(row.runId) ? { ...row, waitedMs: now - row.arrivedAt } : null;
    return { atMs: now, lasts, run };
  }

  private after(after: LinePlace): DispatchedRun[] {
    const isOfLine = (run: DispatchedRun) =>
      (['suite', 'backend', 'variant', 'isPrivate', 'priority', 'requestor'] as const).every(
        (name) => run[name] === after[name],
      );
    return [...this.rows.values()]
      .filter((run) => isOfLine(run) && arrivedBefore(after as DispatchedRun, run))
      .sort((a, b) => (arrivedBefore(a, b) ? -1 : 1))
      .map((run) => ({ ...run, waitedMs: this.rig.now - run.arrivedAt }));
  }
}

/** Reasons come in the order in which memory learned of what they are about. */
function inAnyOrder(status: StatusReply): StatusReply {
  return {
    ...status,
    queues: status.queues?.map((queue) => ({ ...queue, reasons: queue.reasons.toSorted() })),
  };
}

const someRun = fc.record({
  package: fc.constantFrom('a', 'b', 'c', 'd'),
  priority: fc.constantFrom(4, 5, 6),
  requestor: fc.constantFrom('ada', 'bob'),
  suite: fc.constantFrom('trixie', 'bookworm'),
  isPrivate: fc.boolean(),
  /** How long it took to commit. */
  lateMs: fc.constantFrom(0, 0, 0, HOUR),
});

const deed = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('arrive' as const), runs: fc.array(someRun, { maxLength: 8 }) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      slot: fc.nat({ max: SLOTS - 1 }),
      ms: fc.nat({ max: 3 * HOUR }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      which: fc.nat(),
      to: fc.constantFrom('cancelled' as const, 'public' as const, 4, 5, 6),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('look' as const),
      which: fc.nat(),
      viewer: fc.constantFrom({}, { user: 'ada' }, { everything: true }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('refill' as const) }) },
);

/** What a user makes of a run that waits, and what is left of its row. */
function changedRuns(
  run: DispatchedRun,
  to: 'cancelled' | 'public' | number,
): { order: Order; row?: DispatchedRun } {
  const { runId } = run;
  if (to === 'cancelled') {
    const grant = { runId, attempt: 0, grantEpoch: 0, worker: null };
    return { order: { kind: 'cancel', orderId: 1, by: 'ada', ...grant, place: run } };
  }
  const row = to === 'public' ? { ...run, isPrivate: false } : { ...run, priority: to };
  if (to === 'public') return { order: { kind: 'publish', orderId: 1, runId, place: row }, row };
  return { order: { kind: 'reprioritise', orderId: 1, runId, priority: to, place: row }, row };
}

const TESTBEDS = ['trixie', 'bookworm'].map((suite) => {
  return { suite, backend: 'unshare', state: 'ready' as const };
});

it('grants as a dispatcher does that holds all runs, however few it holds', () => {
  let pages = 0;
  fc.assert(
    fc.property(
      fc.array(deed, { minLength: 20, maxLength: 80 }),
      fc.integer({ min: 1, max: 3 }),
      fc.constantFrom(1, 2, Infinity),
      (deeds, pageLength, perPackageMax) => {
        const settings: Partial<DispatchSettings> = {
          leaseTtlMs: 1_000 * HOUR,
          ageing: { stepMs: HOUR, stepsMax: 2 },
          caps: { perRequestorMax: 2, perPackageMax, perSuiteMax: Infinity },
        };
        const rows = new Map<number, DispatchedRun>();
        const whole = new DispatcherRig([], settings);
        const windowed = new Windowed(rows, settings, pageLength);
        const runBySlot = new Map<number, DispatchedRun>();
        let lastRunId = 0;
        for (const what of deeds) {
          if (what.kind === 'arrive') {
            const runs = what.runs.map((changes) => {
              lastRunId += 1;
              const { lateMs, ...request } = changes;
              const arrivedAt = whole.now - lateMs;
              return waitingRun(lastRunId, { ...request, arrivedAt, waitedMs: lateMs });
            });
            for (const run of runs) rows.set(run.runId, { ...run });
            whole.send({ kind: 'arrivals', runs: runs.map((run) => ({ ...run, failedOn: [] })) });
            windowed.rig.send({ kind: 'arrivals', runs });
          } else if (what.kind === 'ask') {
            whole.now = windowed.rig.now += what.ms;
            const before = runBySlot.get(what.slot);
            if (before) {
              const report = finishedReport(before.runId, 1, { slot: what.slot });
              for (const rig of [whole, windowed.rig]) rig.send({ kind: 'finished', report });
              runBySlot.delete(what.slot);
            }
            const changes = { testbeds: TESTBEDS };
            const { lease } = whole.ask({ slot: what.slot, ...changes }).reply;
            expect(windowed.ask(what.slot, changes).lease?.runId).toBe(lease?.runId);
            if (lease) {
              runBySlot.set(what.slot, rows.get(lease.runId)!);
              rows.delete(lease.runId);
            }
          } else if (what.kind === 'change') {
            const waiting = [...rows.values()];
            const run = waiting[what.which % waiting.length];
            if (!run) continue;
            const change = changedRuns(run, what.to);
            if (change.row) rows.set(run.runId, change.row);
            else rows.delete(run.runId);
            whole.send({ kind: 'orders', orders: [change.order] });
            const runs = change.row ? [{ ...change.row, waitedMs: whole.now - run.arrivedAt }] : [];
            windowed.rig.send({ kind: 'orders', orders: [change.order], runs });
          } else if (what.kind === 'look') {
            const { viewer } = what;
            const request = { everything: 'everything' in viewer };
            const status = whole.send({ kind: 'status', request }).reply;
            expect(inAnyOrder(windowed.look({ kind: 'status', request }))).toEqual(inAnyOrder(status));
            const runs = [...rows.keys()];
            const runId = runs[what.which % runs.length];
            if (runId === undefined) continue;
            const explained = windowed.look({ kind: 'explain', runId, viewer });
            expect(explained).toEqual(whole.explain(runId, viewer));
          } else windowed.refill();
          const inMemory = [...windowed.rig.state.runs.values()].filter(({ attempt }) => attempt === 0);
          expect(inMemory.every(({ runId }) => rows.has(runId))).toBe(true);
        }
        pages += windowed.pages;
      },
    ),
    { numRuns: 300, endOnFailure: true },
  );
  expect(pages).toBeGreaterThan(10);
});
