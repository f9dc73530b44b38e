import { StaleEpoch, type Write } from '@proctor/dispatch';
import { ARCH, fail, finish, grant, type JournalFixture, Owner, requeue, start } from './journal.fixture';

/** What a journal refuses. */
export function journalFences(make: () => Promise<JournalFixture>): void {
  const owner = new Owner(make);

  describe('epochs', () => {
    it('the writes of an epoch that is over are refused, and the new one goes on working', async () => {
      const runId = await owner.accept();
      const old = owner.epoch;
      owner.epoch = await owner.books.takeOver(ARCH);
      expect(owner.epoch).toBeGreaterThan(old);
      await expect(owner.books.journal.commit(ARCH, old, [grant(runId, 1)])).rejects.toThrow(StaleEpoch);
      expect(await owner.books.look(runId)).toMatchObject({ state: 'queued', attempt: 0 });
      await owner.commit(grant(runId, 1));
    });

    it('an epoch that never was and an architecture without owner are refused, even for a turn without writes', async () => {
      await expect(owner.books.journal.commit(ARCH, owner.epoch + 1, [])).rejects.toThrow(StaleEpoch);
      await expect(owner.books.journal.commit('arm64', 1, [])).rejects.toThrow(StaleEpoch);
      await owner.commit();
    });

    it('the runs of another architecture are not touched', async () => {
      const foreign = await owner.accept({ arch: 'arm64' });
      for (const write of [grant(foreign, 1), finish(foreign, 0)]) {
        expect(await owner.leftOut(write)).toEqual([write]);
      }
      expect(await owner.books.look(foreign)).toMatchObject({ state: 'queued', attempt: 0 });
    });
  });

  describe('attempts and states', () => {
    /** Each: how the run came to where it is, and writes that its row must refuse. */
    const refusals: [string, ((id: number) => Write)[], ((id: number) => Write)[]][] = [
      [
        'queued, never granted',
        [],
        [
          (id) => grant(id, 2),
          (id) => grant(id, 0),
          (id) => start(id, 0),
          (id) => start(id, 1),
          (id) => requeue(id, 0),
          (id) => fail(id, 0),
          (id) => finish(id, 1),
        ],
      ],
      [
        'leased',
        [(id) => grant(id, 1)],
        [
          (id) => grant(id, 1),
          (id) => grant(id, 2),
          (id) => start(id, 2),
          (id) => start(id, 0),
          (id) => requeue(id, 2),
          (id) => requeue(id, 0),
          (id) => finish(id, 2),
          (id) => finish(id, 0),
        ],
      ],
      [
        'running',
        [(id) => grant(id, 1), (id) => start(id, 1)],
        [(id) => grant(id, 2), (id) => start(id, 1), (id) => requeue(id, 0), (id) => finish(id, 0)],
      ],
      [
        'queued again',
        [(id) => grant(id, 1), (id) => requeue(id, 1)],
        [(id) => grant(id, 1), (id) => grant(id, 3), (id) => start(id, 1), (id) => requeue(id, 1)],
      ],
      [
        'queued again after a failure',
        [(id) => grant(id, 1), (id) => fail(id, 1)],
        [(id) => grant(id, 1), (id) => start(id, 1), (id) => requeue(id, 1), (id) => fail(id, 1)],
      ],
      [
        'leased a second time',
        [(id) => grant(id, 1), (id) => requeue(id, 1), (id) => grant(id, 2)],
        [(id) => start(id, 1), (id) => requeue(id, 1), (id) => fail(id, 1), (id) => finish(id, 1)],
      ],
      [
        'finished',
        [(id) => grant(id, 1), (id) => finish(id, 1)],
        [
          (id) => grant(id, 2),
          (id) => start(id, 1),
          (id) => requeue(id, 1),
          (id) => fail(id, 1),
          (id) => finish(id, 1, { verdict: 'fail' }),
        ],
      ],
    ];

    it.each(refusals)(
      'a run that is %s refuses writes of other attempts and states',
      async (_, history, expected) => {
        const runId = await owner.runAfter(...history);
        const before = await owner.books.look(runId);
        for (const write of expected.map((of) => of(runId))) {
          expect(await owner.leftOut(write)).toEqual([write]);
        }
        expect(await owner.books.look(runId)).toEqual(before);
      },
    );

    it('a write about an unknown run is refused', async () => {
      expect(await owner.leftOut(grant(2_000_000_000, 1))).toEqual([grant(2_000_000_000, 1)]);
    });
  });
}
