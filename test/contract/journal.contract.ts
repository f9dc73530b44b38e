import type { TestResult } from '@proctor/contracts';
import { journalArrivals } from './journal.arrivals';
import { journalCorrections } from './journal.corrections';
import { journalFacts } from './journal.facts';
import { journalFailures } from './journal.failures';
import { journalFences } from './journal.fences';
import { journalGrants } from './journal.grants';
import { journalLearning } from './journal.learning';
import { journalLines } from './journal.lines';
import { journalOrders } from './journal.orders';
import { journalRestrictions } from './journal.restrictions';
import {
  ARCH,
  finish,
  grant,
  type JournalFixture,
  Owner,
  outcome,
  request,
  requeue,
  start,
} from './journal.fixture';

/** What every journal promises; `make` gives a new, empty one. */
export function journalContract(name: string, make: () => Promise<JournalFixture>): void {
  describe(`${name} as a journal`, () => {
    const parts = [
      ...[journalFences, journalOrders, journalRestrictions, journalFailures, journalLearning, journalFacts],
      ...[journalArrivals, journalLines, journalCorrections, journalGrants],
      journalBooks,
    ];
    // Each part is a block of its own, so that its hooks run for its own tests only.
    for (const part of parts) describe(part.name, () => part(make));
  });
}

function journalBooks(make: () => Promise<JournalFixture>): void {
  const owner = new Owner(make);
  const load = async () => (await owner.load()).runs;

  describe('loading', () => {
    it('a load gives a run in each state but finished', async () => {
      const arriving = await owner.accept();
      const waiting = await owner.accept();
      const leased = await owner.runAfter((id) => grant(id, 1, 3));
      const running = await owner.runAfter(
        (id) => grant(id, 1),
        (id) => start(id, 1),
      );
      await owner.runAfter((id) => finish(id, 0));
      await owner.accept({ arch: 'arm64' });
      const lease = { worker: 'w1', incarnation: 'life-1', heldMs: expect.any(Number) };
      expect((await load()).map(({ runId, attempt, lease }) => ({ runId, attempt, lease }))).toEqual([
        { runId: arriving, attempt: 0, lease: null },
        { runId: waiting, attempt: 0, lease: null },
        { runId: leased, attempt: 1, lease: { ...lease, slot: 3, state: 'leased' } },
        { runId: running, attempt: 1, lease: { ...lease, slot: 0, state: 'running' } },
      ]);
    });

    it('a load distinguishes a run that waits again from a new one, and counts the attempts that were lost', async () => {
      const runId = await owner.accept();
      await owner.commit(grant(runId, 1), requeue(runId, 1, 'expired'));
      await owner.commit(grant(runId, 2), requeue(runId, 2, 'returned'));
      await owner.commit(grant(runId, 3), start(runId, 3), requeue(runId, 3, 'lost'));
      expect(await load()).toMatchObject([
        { runId, attempt: 3, attemptsLost: 2, lease: null, latestWorker: 'w1' },
      ]);
    });
  });

  describe('reading by ids', () => {
    it('runs that are read by their ids are those of the architecture that are not finished, as a load gives them', async () => {
      const [waiting, leased, finishedRun] = (await owner.books.submit([
        request(),
        request(),
        request(),
      ])) as [number, number, number];
      const foreign = await owner.accept({ arch: 'arm64' });
      await owner.commit(grant(leased, 1), finish(finishedRun, 0));
      const askedIds = [foreign, finishedRun, leased, waiting, 2_000_000_000];
      const unfinishedRuns = await owner.books.journal.listUnfinished(ARCH, askedIds);
      expect(unfinishedRuns.map(({ runId }) => runId)).toEqual([waiting, leased]);
      expect(unfinishedRuns[1]).toMatchObject({ attempt: 1, lease: { worker: 'w1', state: 'leased' } });
      expect(await owner.books.journal.listUnfinished(ARCH, [])).toEqual([]);
    });

    it('runs that are read by their ids have how the latest attempt was lost, and how long ago', async () => {
      const latestLost = async () => (await load()).map((run) => run.latestLost);
      const runId = await owner.runAfter((id) => grant(id, 1));
      expect(await latestLost()).toEqual([null]);
      await owner.commit(requeue(runId, 1, 'returned'), grant(runId, 2), requeue(runId, 2, 'expired'));
      const [loss] = await latestLost();
      expect(loss).toEqual({ agoMs: expect.any(Number), reason: 'the lease expired' });
      expect(loss!.agoMs).toBeGreaterThanOrEqual(0);
      expect(loss!.agoMs).toBeLessThan(60_000);
      await owner.commit(grant(runId, 3), requeue(runId, 3, 'returned'));
      expect(await latestLost()).toEqual([null]);
    });
  });

  describe('turns', () => {
    it('a turn is written but for what a row does not allow, and for what follows about its run', async () => {
      const [first, second, third] = (await owner.books.submit([request(), request(), request()])) as [
        number,
        number,
        number,
      ];
      const broken = start(second, 1);
      const following = grant(second, 1);
      const turn = [grant(first, 1), finish(third, 0), broken, following];
      expect(await owner.leftOut(...turn)).toEqual([broken, following]);
      expect(await owner.books.look(first)).toMatchObject({ state: 'leased', attempt: 1 });
      expect(await owner.books.look(second)).toMatchObject({ state: 'queued', attempt: 0 });
      expect(await owner.books.look(third)).toMatchObject({ state: 'finished', verdict: 'pass' });
    });

    it('a turn names the write that was left out among many of its kind', async () => {
      const ids = await owner.books.submit([request(), request(), request()]);
      const turn = ids.map((runId, place) => grant(runId, place === 1 ? 2 : 1));
      const leftOut = await owner.leftOut(...turn);
      expect(leftOut).toHaveLength(1);
      expect(leftOut[0]).toBe(turn[1]);
      expect((await load()).map(({ attempt }) => attempt)).toEqual([1, 0, 1]);
    });

    it('a turn applies several writes about one run in their order', async () => {
      const runId = await owner.accept();
      await owner.commit(grant(runId, 1), requeue(runId, 1), grant(runId, 2), start(runId, 2));
      expect(await owner.books.look(runId)).toMatchObject({ state: 'running', attempt: 2 });
    });

    it('a turn refuses the same write twice', async () => {
      const runId = await owner.accept();
      for (const write of [grant(runId, 1), start(runId, 1), requeue(runId, 1), finish(runId, 1)]) {
        expect(await owner.leftOut(write, write)).toEqual([write]);
      }
    });

    it('a turn grants and finishes thousands of runs', async () => {
      const ids = await owner.books.submit(Array.from({ length: 5000 }, () => request()));
      await owner.commit(...ids.map((runId) => grant(runId, 1)));
      expect((await load()).filter((run) => run.lease).length).toBe(ids.length);
      await owner.commit(...ids.map((runId) => finish(runId, 1)));
      expect(await load()).toEqual([]);
    });
  });

  describe('results', () => {
    it('the outcome of a finished run is written down', async () => {
      const tests: TestResult[] = [
        { name: 'unit', status: 'PASS', detail: null },
        { name: 'smoke', status: 'FAIL', detail: 'non-zero exit status 1: "√2" \\u0041' },
      ];
      const runId = await owner.runAfter(
        (id) => grant(id, 1),
        (id) => start(id, 1),
        (id) => finish(id, 1, { verdict: 'fail', message: 'smoke failed', exitCode: 4, tests }),
      );
      expect(await owner.books.look(runId)).toEqual({
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

    it('a result of the latest attempt counts although the run waits again', async () => {
      const runId = await owner.runAfter(
        (id) => grant(id, 1),
        (id) => requeue(id, 1),
        (id) => finish(id, 1),
      );
      expect(await owner.books.look(runId)).toMatchObject({
        state: 'finished',
        verdict: 'pass',
        worker: 'w1',
      });
      expect(await load()).toEqual([]);
    });

    it('a result that comes before the news of the start counts', async () => {
      const runId = await owner.runAfter(
        (id) => grant(id, 1),
        (id) => finish(id, 1),
      );
      expect(await owner.books.look(runId)).toMatchObject({ state: 'finished', verdict: 'pass' });
    });

    it('a run ends without a result, and its unknown version is n/a', async () => {
      const runId = await owner.runAfter((id) => grant(id, 1));
      await owner.commit({
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
      expect(await owner.books.look(runId)).toMatchObject({
        state: 'finished',
        verdict: 'tmpfail',
        version: 'n/a',
        exitCode: null,
        worker: null,
        durationSeconds: null,
      });
    });

    it('a journal knows which reports it has, and which would count', async () => {
      const runId = await owner.runAfter(
        (id) => grant(id, 1),
        (id) => requeue(id, 1),
      );
      const stateOf = async (attempt: number, worker = 'w1') =>
        owner.books.journal.reportState({ runId, attempt, worker });
      expect([await stateOf(1), await stateOf(1, 'w2'), await stateOf(2)]).toEqual([
        'counts',
        'foreign',
        'foreign',
      ]);
      await owner.commit(grant(runId, 2));
      expect([await stateOf(1), await stateOf(2)]).toEqual(['over', 'counts']);
      await owner.commit(finish(runId, 2));
      expect([await stateOf(1), await stateOf(2), await stateOf(3)]).toEqual(['over', 'reported', 'foreign']);
      const unknown = { runId: 2_000_000_000, attempt: 1, worker: 'w1' };
      expect(await owner.books.journal.reportState(unknown)).toBe('foreign');
    });
  });
}
