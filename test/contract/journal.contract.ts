import { FenceBroken, type Write } from '@proctor/dispatch';
import type { RunRequest, TestResult } from '@proctor/contracts';
import { journalFacts } from './journal.facts';
import { journalFailures } from './journal.failures';
import { journalFences } from './journal.fences';
import { journalLearning } from './journal.learning';
import { journalOrders } from './journal.orders';
import { journalStanding } from './journal.standing';
import {
  ARCH,
  finish,
  grant,
  HALF_LIFE_MS,
  type JournalFixture,
  outcome,
  request,
  requeue,
  start,
  takeIn,
} from './journal.fixture';

export * from './journal.fixture';

/** What every journal promises; `make` gives a new, empty one. */
export function journalContract(name: string, make: () => Promise<JournalFixture>): void {
  describe(`${name} as a journal`, () => {
    const parts = [
      ...[journalFences, journalOrders, journalStanding, journalFailures, journalLearning, journalFacts],
      journalBooks,
    ];
    // Each part is a block of its own, so that its hooks run for its own tests only.
    for (const part of parts) describe(part.name, () => part(make));
  });
}

function journalBooks(make: () => Promise<JournalFixture>): void {
  let books: JournalFixture;
  let epoch: number;

  beforeEach(async () => {
    books = await make();
    epoch = await books.takeOver(ARCH);
  });
  afterEach(() => books.close());

  const commit = (...writes: Write[]) => books.journal.commit(ARCH, epoch, writes);
  const load = async () => (await books.journal.load(ARCH, HALF_LIFE_MS)).runs;
  const arrivingIds = async (limit = 100) =>
    (await books.journal.arrivals(ARCH, limit)).map((run) => run.runId);

  async function accept(change: Partial<RunRequest> = {}): Promise<number> {
    return (await books.submit([request(change)]))[0]!;
  }

  /** A run after these writes. */
  async function runAfter(...writes: ((runId: number) => Write)[]): Promise<number> {
    const runId = await accept();
    await commit(...writes.map((write) => write(runId)));
    return runId;
  }

  describe('arrivals', () => {
    it('gives accepted runs as they were asked for, oldest first', async () => {
      const asked = request({
        package: 'libfoo',
        priority: 9,
        trigger: 'glibc/2.36',
        pinPackages: [['src:glibc', 'sid']],
        extraAptSources: ['staging'],
        isPrivate: true,
      });
      const [first, second] = await books.submit([asked, request()]);
      const arrived = await books.journal.arrivals(ARCH, 10);
      expect(arrived.map((run) => run.runId)).toEqual([first, second]);
      expect(arrived[0]).toEqual({
        ...asked,
        runId: first,
        requestor: 'ada',
        arrivedAt: expect.any(Number),
        waitedMs: expect.any(Number),
        attempt: 0,
        attemptsLost: 0,
        failedOn: [],
        lease: null,
        latestWorker: null,
        latestFailed: false,
      });
      expect(Number.isInteger(arrived[0]!.arrivedAt)).toBe(true);
    });

    it('keeps to the architecture and to the limit', async () => {
      const ids = await books.submit([request(), request({ arch: 'arm64' }), request(), request()]);
      expect(await arrivingIds(2)).toEqual([ids[0], ids[2]]);
    });

    it('gives a run until it is taken in, and never again, also when it waits again', async () => {
      const runId = await accept();
      expect(await arrivingIds()).toEqual([runId]);
      await commit(takeIn(runId));
      expect(await arrivingIds()).toEqual([]);
      await commit(grant(runId, 1), requeue(runId, 1));
      expect(await arrivingIds()).toEqual([]);
    });

    it('does not give a run that was granted or finished without having been taken in', async () => {
      const [granted, finished] = await books.submit([request(), request()]);
      await commit(grant(granted!, 1), requeue(granted!, 1), finish(finished!, 0));
      expect(await arrivingIds()).toEqual([]);
    });

    it('finds a run that is committed after runs with later ids were taken in', async () => {
      const slow = await books.submitSlowly(request());
      const later = await accept();
      expect(later).toBeGreaterThan(slow.runId);
      expect(await arrivingIds()).toEqual([later]);
      await commit(takeIn(later));
      await slow.commit();
      expect(await arrivingIds()).toEqual([slow.runId]);
    });
  });

  describe('load', () => {
    it('gives a run in each state but finished', async () => {
      const arriving = await accept();
      const waiting = await runAfter(takeIn);
      const leased = await runAfter((id) => grant(id, 1, 3));
      const running = await runAfter(
        (id) => grant(id, 1),
        (id) => start(id, 1),
      );
      await runAfter((id) => finish(id, 0));
      await accept({ arch: 'arm64' });
      const lease = { worker: 'w1', incarnation: 'life-1', heldMs: expect.any(Number) };
      expect((await load()).map(({ runId, attempt, lease }) => ({ runId, attempt, lease }))).toEqual([
        { runId: arriving, attempt: 0, lease: null },
        { runId: waiting, attempt: 0, lease: null },
        { runId: leased, attempt: 1, lease: { ...lease, slot: 3, state: 'leased' } },
        { runId: running, attempt: 1, lease: { ...lease, slot: 0, state: 'running' } },
      ]);
    });

    it('tells a run that waits again from a new one, and counts the attempts that were lost', async () => {
      const runId = await runAfter(takeIn);
      await commit(grant(runId, 1), requeue(runId, 1, 'expired'));
      await commit(grant(runId, 2), requeue(runId, 2, 'returned'));
      await commit(grant(runId, 3), start(runId, 3), requeue(runId, 3, 'lost'));
      expect(await load()).toMatchObject([
        { runId, attempt: 3, attemptsLost: 2, lease: null, latestWorker: 'w1' },
      ]);
    });
  });

  describe('a turn', () => {
    it('is written as a whole or not at all', async () => {
      const [first, second, third] = await books.submit([request(), request(), request()]);
      const broken = start(second!, 1);
      const turn = [takeIn(first!), takeIn(second!), grant(first!, 1), finish(third!, 0), broken];
      await expect(commit(...turn)).rejects.toMatchObject({ write: broken });
      expect(await arrivingIds()).toEqual([first, second, third]);
      expect(await books.look(first!)).toMatchObject({ state: 'queued', attempt: 0 });
      expect(await books.look(third!)).toMatchObject({ state: 'queued', verdict: null });
    });

    it('names the write that was refused among many of its kind', async () => {
      const ids = await books.submit([request(), request(), request()]);
      const turn = ids.map((runId, place) => grant(runId, place === 1 ? 2 : 1));
      await expect(commit(...turn)).rejects.toMatchObject({ write: turn[1] });
    });

    it('applies several writes about one run in their order', async () => {
      const runId = await accept();
      await commit(
        takeIn(runId),
        takeIn(runId),
        grant(runId, 1),
        requeue(runId, 1),
        grant(runId, 2),
        start(runId, 2),
      );
      expect(await books.look(runId)).toMatchObject({ state: 'running', attempt: 2 });
    });

    it('refuses the same write twice', async () => {
      const runId = await runAfter(takeIn);
      for (const write of [grant(runId, 1), start(runId, 1), requeue(runId, 1), finish(runId, 1)]) {
        await expect(commit(write, write)).rejects.toThrow(FenceBroken);
        await commit(write);
      }
    });

    it('takes in, grants and finishes thousands of runs', async () => {
      const ids = await books.submit(Array.from({ length: 5000 }, () => request()));
      await commit(...ids.map(takeIn));
      await commit(...ids.map((runId) => grant(runId, 1)));
      expect((await load()).filter((run) => run.lease).length).toBe(ids.length);
      await commit(...ids.map((runId) => finish(runId, 1)));
      expect(await load()).toEqual([]);
    });
  });

  describe('finish', () => {
    it('books the outcome', async () => {
      const tests: TestResult[] = [
        { name: 'unit', status: 'PASS', detail: null },
        { name: 'smoke', status: 'FAIL', detail: 'non-zero exit status 1: "√2" \\u0041' },
      ];
      const runId = await runAfter(
        (id) => grant(id, 1),
        (id) => start(id, 1),
        (id) => finish(id, 1, { verdict: 'fail', message: 'smoke failed', exitCode: 4, tests }),
      );
      expect(await books.look(runId)).toEqual({
        state: 'finished',
        attempt: 1,
        verdict: 'fail',
        message: 'smoke failed',
        version: '2.10-3',
        exitCode: 4,
        worker: 'w1',
        durationSeconds: 30,
        tests,
      });
    });

    it('counts a result of the latest attempt although the run waits again', async () => {
      const runId = await runAfter(
        (id) => grant(id, 1),
        (id) => requeue(id, 1),
        (id) => finish(id, 1),
      );
      expect(await books.look(runId)).toMatchObject({ state: 'finished', verdict: 'pass', worker: 'w1' });
      expect(await load()).toEqual([]);
    });

    it('counts a result that comes before the news of the start', async () => {
      const runId = await runAfter(
        (id) => grant(id, 1),
        (id) => finish(id, 1),
      );
      expect(await books.look(runId)).toMatchObject({ state: 'finished', verdict: 'pass' });
    });

    it('ends a run without a result, and says n/a for a version that is not known', async () => {
      const runId = await runAfter((id) => grant(id, 1));
      await commit({
        kind: 'finish',
        runId,
        attempt: 1,
        attemptOutcome: 'expired',
        outcome: outcome({
          verdict: 'tmpfail',
          version: null,
          exitCode: null,
          durationSeconds: null,
          files: [],
        }),
        worker: null,
      });
      expect(await books.look(runId)).toMatchObject({
        state: 'finished',
        verdict: 'tmpfail',
        version: 'n/a',
        exitCode: null,
        worker: null,
        durationSeconds: null,
      });
    });

    it('knows which reports it has, and which would count', async () => {
      const runId = await runAfter(
        (id) => grant(id, 1),
        (id) => requeue(id, 1),
      );
      const stateOf = async (attempt: number, worker = 'w1') =>
        books.journal.reportState({ runId, attempt, worker });
      expect([await stateOf(1), await stateOf(1, 'w2'), await stateOf(2)]).toEqual([
        'counts',
        'over',
        'over',
      ]);
      await commit(grant(runId, 2));
      expect([await stateOf(1), await stateOf(2)]).toEqual(['over', 'counts']);
      await commit(finish(runId, 2));
      expect([await stateOf(1), await stateOf(2), await stateOf(3)]).toEqual(['over', 'reported', 'over']);
      const unknown = { runId: 2_000_000_000, attempt: 1, worker: 'w1' };
      expect(await books.journal.reportState(unknown)).toBe('over');
    });
  });
}
