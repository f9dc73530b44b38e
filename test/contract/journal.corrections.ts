import { DURATION_MARGIN_SECONDS, type Write } from '@proctor/dispatch';
import { fail, finish, grant, type JournalFixture, Owner, outcome, requeue, start } from './journal.fixture';

/** How a journal takes the result of a run that was ended for want of it. */
export function journalCorrections(make: () => Promise<JournalFixture>): void {
  const owner = new Owner(make);
  const TESTS = [{ name: 'unit', status: 'PASS' as const, detail: null }];
  const nothing = { exitCode: null, version: null, durationSeconds: null, files: [], tests: [] };

  const giveUp = (runId: number, attempt: number, attemptOutcome: 'expired' | 'lost'): Write => {
    const runOutcome = outcome({
      verdict: 'tmpfail',
      message: 'no result after 1 attempt: silent',
      ...nothing,
    });
    return { kind: 'finish', runId, attempt, attemptOutcome, outcome: runOutcome, worker: 'w1' };
  };
  const correct = (runId: number, attempt: number, change = {}, worker = 'w1'): Write => {
    return { kind: 'correct', runId, attempt, worker, outcome: outcome({ tests: TESTS, ...change }) };
  };
  const stateOf = (runId: number, attempt = 1, worker = 'w1') =>
    owner.books.journal.reportState({ runId, attempt, worker });

  describe('late results', () => {
    it.each(['expired', 'lost'] as const)(
      'a late result takes the place of what was said when its run was %s',
      async (how) => {
        const runId = await owner.accept();
        await owner.commit(grant(runId, 1), start(runId, 1), giveUp(runId, 1, how));
        expect(await stateOf(runId)).toBe('late');
        await owner.commit(correct(runId, 1));
        expect(await owner.books.look(runId)).toEqual({
          ...{ state: 'finished', attempt: 1, verdict: 'pass', message: 'all tests passed', worker: 'w1' },
          ...{ version: '2.10-3', exitCode: 0, durationSeconds: 30, tests: TESTS },
        });
        expect(await stateOf(runId)).toBe('reported');
        const story = await owner.books.story(runId);
        expect(story.map(({ kind }) => kind)).toEqual([
          'requested',
          'granted',
          'started',
          'finished',
          'corrected',
        ]);
        expect(story.at(-1)).toMatchObject({
          ...{
            state: 'finished',
            attempt: 1,
            actor: 'worker w1',
            verdict: 'pass',
            reason: 'all tests passed',
          },
        });
      },
    );

    it('a late result took no longer than the time since its grant, however long it says', async () => {
      const runId = await owner.accept();
      await owner.commit(grant(runId, 1), giveUp(runId, 1, 'expired'));
      await owner.commit(correct(runId, 1, { durationSeconds: 31_000_000 }));
      const { durationSeconds } = await owner.books.look(runId);
      expect(durationSeconds).toBeGreaterThanOrEqual(DURATION_MARGIN_SECONDS);
      expect(durationSeconds).toBeLessThan(DURATION_MARGIN_SECONDS + 600);
    });

    it('a late result brings its own message when it failed as well, and counts for how long its package takes', async () => {
      const runId = await owner.accept();
      await owner.commit(grant(runId, 1), giveUp(runId, 1, 'expired'));
      await owner.commit(
        correct(runId, 1, { verdict: 'tmpfail', message: 'no testbed', durationSeconds: 90 }),
      );
      expect(await owner.books.look(runId)).toMatchObject({ verdict: 'tmpfail', message: 'no testbed' });
      expect((await owner.load()).durations).toEqual([{ package: 'hello', durationMs: 90_000 }]);
    });

    it('a late result is taken once', async () => {
      const runId = await owner.accept();
      await owner.commit(grant(runId, 1), giveUp(runId, 1, 'expired'), correct(runId, 1));
      expect(await owner.leftOut(correct(runId, 1, { verdict: 'fail' }))).toHaveLength(1);
      expect(await owner.books.look(runId)).toMatchObject({ verdict: 'pass' });
    });

    const REFUSED: [string, (runId: number) => Write[], (runId: number) => Write][] = [
      ['another worker', (id) => [grant(id, 1), giveUp(id, 1, 'lost')], (id) => correct(id, 1, {}, 'w2')],
      [
        'an earlier attempt',
        (id) => [grant(id, 1), requeue(id, 1), grant(id, 2), giveUp(id, 2, 'lost')],
        (id) => correct(id, 1),
      ],
      ['a run that waits again', (id) => [grant(id, 1), requeue(id, 1)], (id) => correct(id, 1)],
      ['a run that is executed', (id) => [grant(id, 1)], (id) => correct(id, 1)],
      ['a run that has a result', (id) => [grant(id, 1), finish(id, 1)], (id) => correct(id, 1)],
      ['an attempt whose failure is known', (id) => [grant(id, 1), fail(id, 1)], (id) => correct(id, 1)],
    ];

    it.each(REFUSED)('a late result of %s is not taken', async (_, history, late) => {
      const runId = await owner.accept();
      await owner.commit(...history(runId));
      const before = await owner.books.look(runId);
      const write = late(runId);
      expect(await owner.leftOut(write)).toEqual([write]);
      expect(await owner.books.look(runId)).toEqual(before);
      const { attempt, worker } = write as Extract<Write, { kind: 'correct' }>;
      expect(await stateOf(runId, attempt, worker)).not.toBe('late');
    });

    it('a late result of a run that was cancelled is not taken, whether it was executed or waited then', async () => {
      for (const history of [[], [requeue]]) {
        const runId = await owner.accept();
        await owner.commit(grant(runId, 1), ...history.map((write) => write(runId, 1)));
        await owner.books.cancel(runId, 'ada');
        expect(await stateOf(runId)).toBe('over');
        expect(await owner.leftOut(correct(runId, 1))).toHaveLength(1);
      }
    });
  });
}
