import { FenceBroken, type Write } from '@proctor/dispatch';
import {
  ARCH,
  fail,
  finish,
  grant,
  HALF_LIFE_MS,
  type JournalFixture,
  request,
  requeue,
  start,
} from './journal.fixture';

/** How a journal books attempts that failed, and what it remembers of them and of workers. */
export function journalFailures(make: () => Promise<JournalFixture>): void {
  let books: JournalFixture;
  let epoch: number;
  let runId: number;

  beforeEach(async () => {
    books = await make();
    epoch = await books.takeOver(ARCH);
    [runId] = (await books.submit([request()])) as [number];
  });
  afterEach(() => books.close());

  const commit = (...writes: Write[]) => books.journal.commit(ARCH, epoch, writes);
  const load = () => books.journal.load(ARCH, HALF_LIFE_MS);

  describe('an attempt that failed', () => {
    it('leaves its run waiting without a verdict, and is reported', async () => {
      await commit(grant(runId, 1), start(runId, 1), fail(runId, 1));
      expect(await books.look(runId)).toMatchObject({
        state: 'queued',
        attempt: 1,
        verdict: null,
        worker: null,
      });
      expect(await books.journal.reportState({ runId, attempt: 1, worker: 'w1' })).toBe('reported');
      expect((await load()).runs).toMatchObject([
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

    it('counts once when it was given up before its report came', async () => {
      await commit(grant(runId, 1), requeue(runId, 1));
      expect((await load()).runs).toMatchObject([{ attemptsLost: 1, latestFailed: false }]);
      await commit(fail(runId, 1));
      expect((await load()).runs).toMatchObject([{ attemptsLost: 1, latestFailed: true }]);
      await expect(commit(fail(runId, 1))).rejects.toThrow(FenceBroken);
    });

    it('is followed by another, and by the result of the last', async () => {
      await commit(grant(runId, 1), fail(runId, 1), grant(runId, 2), fail(runId, 2), grant(runId, 3));
      expect((await load()).runs).toMatchObject([{ attempt: 3, attemptsLost: 2, latestFailed: false }]);
      await commit(finish(runId, 3, { verdict: 'tmpfail', message: 'no testbed, three times' }));
      expect(await books.look(runId)).toMatchObject({
        verdict: 'tmpfail',
        message: 'no testbed, three times',
      });
    });

    it('may be followed by a late result of another attempt only', async () => {
      await commit(grant(runId, 1), fail(runId, 1), grant(runId, 2));
      await expect(commit(finish(runId, 1))).rejects.toThrow(FenceBroken);
    });

    it('names the workers of all attempts that were lost, each once, and of no other', async () => {
      const worker = (attempt: number, name: string) => grant(runId, attempt, 0, name);
      await commit(worker(1, 'w3'), fail(runId, 1), worker(2, 'w2'), requeue(runId, 2, 'returned'));
      await commit(worker(3, 'w1'), requeue(runId, 3, 'lost'), worker(4, 'w3'), requeue(runId, 4, 'expired'));
      await commit(worker(5, 'w4'));
      expect((await load()).runs).toMatchObject([{ attempt: 5, attemptsLost: 3, failedOn: ['w1', 'w3'] }]);
    });
  });

  describe('judgements', () => {
    const judge = (worker: string, standing: 'sound' | 'slowed' | 'quarantined', reason: string): Write => {
      return { kind: 'judge-worker', worker, standing, reason };
    };

    it('are loaded as they were written last, of each worker and for the architecture only', async () => {
      await commit(judge('w2', 'slowed', 'three failures'), judge('w1', 'quarantined', 'no disk'));
      await commit(judge('w2', 'sound', 'a first'), judge('w2', 'quarantined', 'its canary failed'));
      await books.takeOver('arm64');
      const agoMs: unknown = expect.any(Number);
      const { judgements } = await load();
      expect(judgements).toEqual([
        { worker: 'w1', standing: 'quarantined', reason: 'no disk', agoMs },
        { worker: 'w2', standing: 'quarantined', reason: 'its canary failed', agoMs },
      ]);
      expect(judgements.every((judgement) => judgement.agoMs >= 0)).toBe(true);
      expect((await books.journal.load('arm64', HALF_LIFE_MS)).judgements).toEqual([]);
    });

    it('are not written when the turn is refused', async () => {
      await expect(commit(judge('w1', 'slowed', 'three failures'), start(runId, 1))).rejects.toThrow(
        FenceBroken,
      );
      expect((await load()).judgements).toEqual([]);
    });
  });
}
