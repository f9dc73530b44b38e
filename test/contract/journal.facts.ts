import { type Fact, timestamp } from '@proctor/contracts';
import {
  ARCH,
  fail,
  finish,
  grant,
  type JournalFixture,
  Owner,
  outcome,
  request,
  requeue,
  start,
} from './journal.fixture';

/** How a journal writes down everything that happens to a run. */
export function journalFacts(make: () => Promise<JournalFixture>): void {
  const owner = new Owner(make);

  const unpublished = (limit = 100) => owner.books.listUnpublished(ARCH, limit);

  /** What is not the same in every fact of a run. */
  async function factsOf(runId: number): Promise<Partial<Fact>[]> {
    return (await owner.books.story(runId)).map(({ kind, state, attempt, actor, reason, verdict }) => {
      return { kind, state, attempt, actor, ...(reason !== null && { reason }), ...(verdict && { verdict }) };
    });
  }

  const requested = { kind: 'requested', state: 'queued', attempt: 0, actor: 'user ada' };
  const granted = (attempt: number) => {
    return { kind: 'granted', state: 'leased', attempt, actor: 'scheduler', reason: 'to slot 0 of w1' };
  };
  const started = (attempt: number) => ({ kind: 'started', state: 'running', attempt, actor: 'worker w1' });

  describe('stories', () => {
    it('the story of a run names every step, who took it and why, up to the result', async () => {
      const runId = await owner.accept();
      await owner.commit(grant(runId, 1), start(runId, 1), requeue(runId, 1));
      await owner.commit(grant(runId, 2), requeue(runId, 2, 'returned'));
      await owner.commit(grant(runId, 3), start(runId, 3), fail(runId, 3));
      await owner.commit(grant(runId, 4), finish(runId, 4));
      const requeued = (attempt: number) => ({ kind: 'requeued', state: 'queued', attempt });
      expect(await factsOf(runId)).toEqual([
        requested,
        granted(1),
        started(1),
        { ...requeued(1), actor: 'scheduler', reason: 'the lease expired' },
        granted(2),
        { ...requeued(2), actor: 'worker w1', reason: 'the lease expired' },
        granted(3),
        started(3),
        { ...requeued(3), actor: 'worker w1', reason: 'no testbed' },
        granted(4),
        {
          ...{ kind: 'finished', state: 'finished', attempt: 4, actor: 'worker w1' },
          ...{ reason: 'all tests passed', verdict: 'pass' },
        },
      ]);
    });

    it('the story of a run has ids that rise, times, and where the run belongs', async () => {
      const runId = await owner.accept({ suite: 'sid' });
      const other = await owner.accept();
      await owner.commit(grant(runId, 1), grant(other, 1), start(other, 1), start(runId, 1));
      const story = await owner.books.story(runId);
      const ids = story.map(({ factId }) => factId);
      expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
      for (const fact of story) {
        expect(fact).toMatchObject({ runId, arch: ARCH, suite: 'sid' });
        expect(timestamp(new Date(fact.at))).toBe(fact.at);
      }
      expect(await owner.books.story(2_000_000_000)).toEqual([]);
    });

    it('the story of a run has its start and its end in this order, also where one turn writes both', async () => {
      const runIds = await owner.books.submit(Array.from({ length: 30 }, () => request()));
      await owner.commit(...runIds.map((runId) => grant(runId, 1)));
      await owner.commit(...runIds.flatMap((runId) => [start(runId, 1), finish(runId, 1)]));
      const end = { ...{ kind: 'finished', state: 'finished', attempt: 1, actor: 'worker w1' } };
      const result = { reason: 'all tests passed', verdict: 'pass' };
      for (const runId of runIds)
        expect(await factsOf(runId)).toEqual([requested, granted(1), started(1), { ...end, ...result }]);
    });

    it('the story of a run has neither its start nor its end when the row refuses the start', async () => {
      const [waiting, cancelled, running] = await owner.books.submit([request(), request(), request()]);
      await owner.commit(grant(cancelled!, 1), grant(running!, 1), start(running!, 1));
      await owner.books.cancel(cancelled!, 'ada');
      const writes = [waiting!, cancelled!, running!].flatMap((id) => [start(id, 1), finish(id, 1)]);
      expect(await owner.leftOut(...writes)).toEqual(writes);
      for (const runId of [waiting!, running!])
        expect((await factsOf(runId)).at(-1)).not.toMatchObject({ kind: 'finished' });
      expect((await factsOf(cancelled!)).at(-1)).toMatchObject({ kind: 'cancelled' });
    });

    it('the story of a run ends with the scheduler when it gave the run up', async () => {
      const runId = await owner.accept();
      const runOutcome = outcome({
        verdict: 'tmpfail',
        message: 'lost three times',
        durationSeconds: null,
        files: [],
      });
      await owner.commit(grant(runId, 1), {
        ...{ kind: 'finish', runId, attempt: 1, attemptOutcome: 'expired' },
        ...{ outcome: runOutcome, worker: null },
      });
      expect((await factsOf(runId)).at(-1)).toEqual({
        ...{ kind: 'finished', state: 'finished', attempt: 1, actor: 'scheduler' },
        ...{ reason: 'lost three times', verdict: 'tmpfail' },
      });
    });

    it('the story of a run ends with the user who cancelled it, and has a change of priority', async () => {
      const runId = await owner.accept({ priority: 2 });
      await owner.books.reprioritise(runId, 8, 'ada', 'urgent');
      await owner.books.reprioritise(runId, 8, 'ada', 'urgent');
      await owner.commit(grant(runId, 1));
      await owner.books.cancel(runId, 'ada');
      await owner.books.cancel(runId, 'ada');
      expect(await factsOf(runId)).toEqual([
        requested,
        { ...requested, kind: 'reprioritised', reason: 'from 2 to 8: urgent' },
        granted(1),
        { kind: 'cancelled', state: 'finished', attempt: 1, actor: 'user ada', verdict: 'tmpfail' },
      ]);
    });

    it('the story of a run says nothing of a write that was left out', async () => {
      const [runId, other] = [await owner.accept(), await owner.accept()];
      expect(await owner.leftOut(grant(runId, 1), start(other, 1))).toEqual([start(other, 1)]);
      expect(await factsOf(other)).toEqual([requested]);
      expect((await factsOf(runId)).length).toBe(2);
    });
  });

  describe('publishing', () => {
    it('unpublished facts are given in order, up to a limit, until they are marked', async () => {
      const [runId, other] = [await owner.accept(), await owner.accept()];
      await owner.accept({ arch: 'arm64' });
      await owner.commit(grant(runId, 1), start(runId, 1));
      const waiting = await unpublished();
      expect(waiting.map((fact) => [fact.runId, fact.kind])).toEqual([
        [runId, 'requested'],
        [other, 'requested'],
        [runId, 'granted'],
        [runId, 'started'],
      ]);
      expect(await unpublished(2)).toEqual(waiting.slice(0, 2));
      await owner.books.markPublished(waiting.slice(0, 3));
      await owner.books.markPublished([]);
      expect(await unpublished()).toEqual(waiting.slice(3));
      expect(await owner.books.story(other)).toEqual([waiting[1]]);
    });

    it('facts are marked only if they are the very facts which the bus has: a restored database gives ids again', async () => {
      await owner.accept();
      const waiting = await unpublished();
      await owner.books.markPublished(waiting.map((fact) => ({ ...fact, at: '2026-01-01T00:00:00.000Z' })));
      expect(await unpublished()).toEqual(waiting);
      await owner.books.markPublished(waiting);
      expect(await unpublished()).toEqual([]);
    });

    it('unpublished facts of a private run do not have its reasons', async () => {
      const runId = await owner.accept({ isPrivate: true, package: 'secret' });
      await owner.commit(grant(runId, 1), finish(runId, 1, { message: 'secret is broken' }));
      expect((await unpublished()).map(({ reason }) => reason)).toEqual([null, null, null]);
      expect((await owner.books.story(runId)).at(-1)).toMatchObject({ reason: 'secret is broken' });
    });
  });
}
