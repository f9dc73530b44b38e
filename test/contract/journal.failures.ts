import type { Write } from '@proctor/dispatch';
import {
  fail,
  finish,
  grant,
  HALF_LIFE_MS,
  type JournalFixture,
  Owner,
  requeue,
  start,
} from './journal.fixture';

/** How a journal books attempts that failed, and what it remembers of them and of workers. */
export function journalFailures(make: () => Promise<JournalFixture>): void {
  const owner = new Owner(make);
  let runId: number;

  beforeEach(async () => {
    runId = await owner.accept();
  });

  describe('failures', () => {
    it('an attempt that failed leaves its run waiting without a verdict, and is reported', async () => {
      await owner.commit(grant(runId, 1), start(runId, 1), fail(runId, 1));
      expect(await owner.books.look(runId)).toMatchObject({
        state: 'queued',
        attempt: 1,
        verdict: null,
        worker: null,
      });
      expect(await owner.books.journal.reportState({ runId, attempt: 1, worker: 'w1' })).toBe('reported');
      expect((await owner.load()).runs).toMatchObject([
        {
          runId,
          attempt: 1,
          attemptsLost: 1,
          failedOn: ['w1'],
          latestFailed: true,
          latestWorker: 'w1',
          lease: null,
        },
      ]);
    });

    it('an attempt that failed counts once when it was given up before its report came', async () => {
      await owner.commit(grant(runId, 1), requeue(runId, 1));
      expect((await owner.load()).runs).toMatchObject([{ attemptsLost: 1, latestFailed: false }]);
      await owner.commit(fail(runId, 1));
      expect((await owner.load()).runs).toMatchObject([{ attemptsLost: 1, latestFailed: true }]);
      expect(await owner.leftOut(fail(runId, 1))).toEqual([fail(runId, 1)]);
    });

    it('what made the runner crash is there when another owner loads the run, until an attempt ends otherwise', async () => {
      const crashed = (attempt: number, crash: string): Write =>
        ({ ...fail(runId, attempt), crash }) as Write;
      await owner.commit(grant(runId, 1), crashed(1, 'a'), grant(runId, 2), crashed(2, 'b'));
      await owner.commit(grant(runId, 3), requeue(runId, 3, 'returned'), grant(runId, 4), crashed(4, 'b'));
      const crash = { signature: 'b', worker: 'w1' };
      expect((await owner.load()).runs[0]?.crashes).toEqual([
        { ...crash, attempt: 2 },
        { ...crash, attempt: 4 },
      ]);
      await owner.commit(grant(runId, 5), requeue(runId, 5, 'expired'));
      expect((await owner.load()).runs[0]?.crashes).toBeUndefined();
    });

    it('an attempt that failed is followed by another, and by the result of the last', async () => {
      await owner.commit(grant(runId, 1), fail(runId, 1), grant(runId, 2), fail(runId, 2), grant(runId, 3));
      expect((await owner.load()).runs).toMatchObject([{ attempt: 3, attemptsLost: 2, latestFailed: false }]);
      await owner.commit(finish(runId, 3, { verdict: 'tmpfail', message: 'no testbed, three times' }));
      expect(await owner.books.look(runId)).toMatchObject({
        verdict: 'tmpfail',
        message: 'no testbed, three times',
      });
    });

    it('an attempt that failed may be followed by a late result of another attempt only', async () => {
      await owner.commit(grant(runId, 1), fail(runId, 1), grant(runId, 2));
      expect(await owner.leftOut(finish(runId, 1))).toEqual([finish(runId, 1)]);
    });

    it('the workers of all attempts that were lost are named, each once, and no other', async () => {
      const worker = (attempt: number, name: string) => grant(runId, attempt, 0, name);
      await owner.commit(worker(1, 'w3'), fail(runId, 1), worker(2, 'w2'), requeue(runId, 2, 'returned'));
      await owner.commit(
        worker(3, 'w1'),
        requeue(runId, 3, 'lost'),
        worker(4, 'w3'),
        requeue(runId, 4, 'expired'),
      );
      await owner.commit(worker(5, 'w4'));
      expect((await owner.load()).runs).toMatchObject([
        { attempt: 5, attemptsLost: 3, failedOn: ['w1', 'w3'] },
      ]);
    });
  });

  describe('standings', () => {
    const judge = (worker: string, standing: 'sound' | 'slowed' | 'quarantined', reason: string): Write => {
      return { kind: 'judge-worker', worker, standing, reason };
    };

    it('judgements are loaded as they were written last, of each worker and for the architecture only', async () => {
      await owner.commit(judge('w2', 'slowed', 'three failures'), judge('w1', 'quarantined', 'no disk'));
      await owner.commit(judge('w2', 'sound', 'a first'), judge('w2', 'quarantined', 'its canary failed'));
      await owner.books.takeOver('arm64');
      const agoMs: unknown = expect.any(Number);
      const { judgements } = await owner.load();
      expect(judgements).toEqual([
        { worker: 'w1', standing: 'quarantined', reason: 'no disk', agoMs },
        { worker: 'w2', standing: 'quarantined', reason: 'its canary failed', agoMs },
      ]);
      expect(judgements.every((judgement) => judgement.agoMs >= 0)).toBe(true);
      expect((await owner.books.journal.load('arm64', HALF_LIFE_MS)).judgements).toEqual([]);
    });

    it('judgements are written although a write beside them is left out', async () => {
      const writes = [judge('w1', 'slowed', 'three failures'), start(runId, 1)];
      expect(await owner.leftOut(...writes)).toEqual([writes[1]]);
      expect((await owner.load()).judgements).toMatchObject([{ worker: 'w1', standing: 'slowed' }]);
    });
  });
}
