import type { Grant } from '@proctor/contracts';
import type { Journal } from '@proctor/dispatch';
import { ActorRig } from '../support/actor-rig';
import { runRequest } from '../support/run-request';
import { ARCH, finishedReport, leaseRequest, settings } from '../support/runs';
import type { RunRow } from './memory-books';
import { Random } from './world/random';

const SUITES = ['bookworm', 'trixie'];
const PRIORITIES = [4, 5, 6];
const SLOTS = 3;
const TESTBEDS = SUITES.map((suite) => ({ suite, backend: 'unshare', state: 'ready' as const }));
const ROUNDS = 3;
const DEEDS_PER_ROUND = 60;
/** How many waiting runs are explained at each quiet moment. */
const EXPLAINED = 6;
const ROUND_MS = 30_000;
/** After that the dispatcher has read everything that was committed. */
const QUIET_MS = 20_000;
const COMMIT_MAX_MS = 9_000;
const ANSWER_MAX_MS = 300;
/** Longer than all of it. */
const LONG_MS = 100_000_000;

/**
 * One actor that holds very few of the runs of each line, while runs come, go and move, reads take time, and turns fail. At
 * each quiet moment what it grants and says of places and lengths must be what the rows say.
 */
export class WaitingLines {
  readonly violations: string[] = [];
  /** What was done, and how often. */
  readonly deeds = new Map<string, number>();
  private readonly rig = new ActorRig();
  private readonly random: Random;
  private readonly grants = new Map<number, Grant>();
  private isQuiet = true;

  constructor(
    private readonly seed: number,
    private readonly change: (right: Partial<Journal>) => Partial<Journal> = () => ({}),
  ) {
    this.random = new Random(seed);
  }

  async run(): Promise<void> {
    const { rig, seed } = this;
    const window = { runsMax: 1 + (seed % 3), refillBelow: seed % 2, blockRuns: 1 + (seed % 4) };
    await rig.start(this.journal(), {
      dispatch: settings({ window, leaseTtlMs: LONG_MS, workerQuietMaxMs: LONG_MS }),
    });
    // Which workers there are decides whose runs compete.
    await this.asked(0);
    for (let round = 0; round < ROUNDS; round += 1) await this.round();
    this.isQuiet = true;
    while (this.waiting().length > 0 && this.violations.length === 0) await this.takeNext();
    const end = rig.end();
    await rig.time(QUIET_MS);
    await end;
  }

  private async round(): Promise<void> {
    const { rig, random } = this;
    this.isQuiet = false;
    for (let count = 0; count < DEEDS_PER_ROUND; count += 1)
      rig.clock.after(random.between(0, ROUND_MS), random.pick(this.possible()));
    await rig.time(ROUND_MS + COMMIT_MAX_MS);
    this.isQuiet = true;
    await rig.time(QUIET_MS);
    await this.check();
    await this.takeNext();
  }

  private possible(): (() => void)[] {
    const submit = () => this.submit();
    return [
      ...[submit, submit, submit, submit],
      () => void this.asked(Math.floor(this.random.between(0, SLOTS))),
      () => this.someoneChanges('cancelled', ({ runId }) => this.rig.books.cancel(runId, 'ada')),
      () =>
        this.someoneChanges('moved', ({ runId }) =>
          this.rig.books.reprioritise(runId, this.random.pick(PRIORITIES), 'ada'),
        ),
      () => this.someoneChanges('published', ({ runId }) => this.rig.books.publish(runId, 'ada')),
      () => void this.status().catch(() => undefined),
      () => {
        const run = this.anyWaiting();
        if (run) void this.explained(run.runId).catch(() => undefined);
      },
    ];
  }

  private journal(): Partial<Journal> {
    const { rig } = this;
    const right: Partial<Journal> = {
      nextOfLine: (arch, after, limit) => this.answer('page', () => rig.books.nextOfLine(arch, after, limit)),
      countBeyond: (arch, stretches, limits) =>
        this.answer('count', () => rig.books.countBeyond(arch, stretches, limits)),
      lastBeyond: (arch, edges) => this.answer('last', () => rig.books.lastBeyond(arch, edges)),
      listUnfinished: (arch, runIds) => this.answer('row', () => rig.books.listUnfinished(arch, runIds)),
      arrivals: (arch, limit, position) =>
        this.answer('arrivals', () => rig.books.arrivals(arch, limit, position)),
      orders: (arch, limit) => this.answer('orders', () => rig.books.orders(arch, limit)),
      commit: (arch, epoch, writes) => this.answer('commit', () => rig.books.commit(arch, epoch, writes)),
    };
    return { ...right, ...this.change(right) };
  }

  /** Takes time on the way there and back; some fail. */
  private async answer<T>(what: string, statement: () => Promise<T>): Promise<T> {
    await this.passes();
    if (!this.isQuiet && this.random.chance(0.02)) {
      this.note(`${what} failed`);
      throw new Error(`the ${what} failed`);
    }
    const answer = await statement();
    this.note(what);
    await this.passes();
    return answer;
  }

  private passes(): Promise<void> {
    return new Promise((resolve) => this.rig.clock.after(this.random.between(0, ANSWER_MAX_MS), resolve));
  }

  private submit(): void {
    const { rig, random } = this;
    const what = {
      suite: random.pick(SUITES),
      priority: random.pick(PRIORITIES),
      isPrivate: random.chance(0.2),
    };
    const row = rig.books.draw(runRequest({ ...what, package: random.pick(['a', 'b', 'c']) }));
    rig.clock.after(random.chance(0.5) ? 0 : random.between(0, COMMIT_MAX_MS), () => {
      row.committed = true;
      this.note('submitted');
      if (random.chance(0.5)) rig.actor.readArrivalsSoon();
    });
  }

  private someoneChanges(what: string, deed: (row: RunRow) => boolean): void {
    const row = this.anyWaiting();
    if (!row || !deed(row)) return;
    this.note(what);
    if (this.random.chance(0.5)) this.rig.actor.readOrdersSoon();
  }

  /** The slot hands in what it has, and gets the next. */
  private async asked(slot: number): Promise<number | undefined> {
    const { rig, grants } = this;
    const before = grants.get(slot);
    grants.delete(slot);
    try {
      if (before) {
        const { runId, attempt, grantEpoch } = before;
        const report = finishedReport(runId, attempt, {
          slot,
          ...(grantEpoch !== undefined && { grantEpoch }),
        });
        await this.answered(rig.actor.request({ kind: 'finished', report }));
      }
      const request = leaseRequest({ slot, testbeds: TESTBEDS });
      const { lease } = await this.answered(rig.actor.request({ kind: 'lease', request }));
      if (!lease) return undefined;
      grants.set(slot, lease);
      this.note('granted');
      return lease.runId;
    } catch {
      if (before) grants.set(slot, before);
      return undefined;
    }
  }

  private status() {
    return this.rig.actor.request({ kind: 'status', request: { everything: true } });
  }

  private explained(runId: number) {
    return this.rig.actor.request({ kind: 'explain', runId, viewer: { everything: true } });
  }

  /** Time passes until it is answered. */
  private async answered<T>(answer: Promise<T>): Promise<T> {
    let isOver = false;
    const over = answer.finally(() => (isOver = true));
    over.catch(() => undefined);
    if (this.isQuiet) for (let tries = 0; !isOver && tries < 60; tries += 1) await this.rig.time(1_000);
    if (this.isQuiet && !isOver) throw new Error('there was no answer');
    return over;
  }

  private async check(): Promise<void> {
    const { queues } = await this.answered(this.status());
    for (const suite of SUITES) {
      const expected = this.waiting().filter(({ request }) => request.suite === suite).length;
      const count = queues.find((queue) => queue.suite === suite)?.waiting ?? 0;
      this.require(count === expected, `${suite}: ${count} runs are said to wait, not ${expected}`);
    }
    const waiting = this.waiting();
    for (let count = 0; count < EXPLAINED; count += 1) {
      const ahead = Math.floor(this.random.between(0, waiting.length));
      const runId = waiting[ahead]?.runId;
      if (runId === undefined) continue;
      const { position } = await this.answered(this.explained(runId));
      this.require(position === ahead + 1, `run ${runId}: said to be at ${position}, not at ${ahead + 1}`);
    }
    this.note('checked');
  }

  private async takeNext(): Promise<void> {
    const [next] = this.waiting();
    const granted = await this.asked(0);
    this.require(granted === next?.runId, `run ${granted} was granted, not run ${next?.runId}`);
  }

  /** In the order in which they are to be granted. */
  private waiting(): RunRow[] {
    const rows = this.rig.books.all().filter(({ committed, state }) => committed && state === 'queued');
    return rows.sort(
      (a, b) => b.request.priority - a.request.priority || a.arrivedAt - b.arrivedAt || a.runId - b.runId,
    );
  }

  private anyWaiting(): RunRow | undefined {
    const waiting = this.waiting();
    return waiting.length > 0 ? this.random.pick(waiting) : undefined;
  }

  private note(deed: string): void {
    this.deeds.set(deed, (this.deeds.get(deed) ?? 0) + 1);
  }

  private require(condition: boolean, violation: string): void {
    if (!condition) this.violations.push(`${ARCH}: ${violation}`);
  }
}
