import type { Grant } from '@proctor/contracts';
import type { Write } from '@proctor/dispatch';
import { ARCH, finish, grant, type JournalFixture, Owner, outcome, requeue } from './journal.fixture';

/** How a journal distinguishes the grants of an attempt: a database that was restored to an earlier moment grants it again. */
export function journalGrants(make: () => Promise<JournalFixture>): void {
  const owner = new Owner(make);
  const stateOf = (of: Grant, worker = 'w1') => owner.books.journal.reportState({ ...of, worker });

  it('a grant is known by the epoch in which it was made, also to the owners that follow', async () => {
    const [first, second] = await Promise.all([owner.accept(), owner.accept()]);
    const before = owner.epoch;
    await owner.commit(grant(first, 1));
    owner.epoch = await owner.books.takeOver(ARCH);
    await owner.commit(grant(second, 1), requeue(second, 1), grant(second, 2));
    const runs = (await owner.load()).runs.map(({ runId, grantEpoch }) => [runId, grantEpoch]);
    expect(new Map(runs as [number, number][])).toEqual(
      new Map([
        [first, before],
        [second, owner.epoch],
      ]),
    );
  });

  it('a report must be of the grant, where it knows the epoch', async () => {
    const runId = await owner.runAfter((id) => grant(id, 1));
    const own = { runId, attempt: 1, grantEpoch: owner.epoch };
    const forgotten = { ...own, grantEpoch: owner.epoch - 1 };
    expect(await stateOf(own)).toBe('counts');
    expect(await stateOf({ runId, attempt: 1 })).toBe('counts');
    expect(await stateOf(forgotten)).toBe('foreign');
    expect(await stateOf(own, 'w2')).toBe('foreign');
    expect(await stateOf({ ...own, attempt: 2 })).toBe('foreign');
    await owner.commit(finish(runId, 1));
    expect(await stateOf(own)).toBe('reported');
    expect(await stateOf(forgotten)).toBe('foreign');
  });

  it('a late result must be of the grant', async () => {
    const runId = await owner.runAfter((id) => grant(id, 1));
    const nothing = { exitCode: null, version: null, durationSeconds: null, files: [], tests: [] };
    const runOutcome = outcome({
      verdict: 'tmpfail',
      message: 'no result after 1 attempt: silent',
      ...nothing,
    });
    const how = { attemptOutcome: 'expired', outcome: runOutcome, worker: 'w1' } as const;
    await owner.commit({ kind: 'finish', runId, attempt: 1, ...how });
    const correct = (grantEpoch: number): Write => {
      return { kind: 'correct', runId, attempt: 1, grantEpoch, worker: 'w1', outcome: outcome() };
    };
    const foreign = correct(owner.epoch - 1);
    expect(await owner.leftOut(foreign)).toEqual([foreign]);
    expect(await owner.books.look(runId)).toMatchObject({ verdict: 'tmpfail' });
    await owner.commit(correct(owner.epoch));
    expect(await owner.books.look(runId)).toMatchObject({ verdict: 'pass' });
  });
}
