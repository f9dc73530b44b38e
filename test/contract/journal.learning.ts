import { fail, finish, grant, HALF_LIFE_MS, type JournalFixture, Owner, outcome } from './journal.fixture';

/** What a journal learns of how long things take and who used how much. */
export function journalLearning(make: () => Promise<JournalFixture>): void {
  const owner = new Owner(make);

  async function leased(packageName = 'hello', isPrivate = false): Promise<number> {
    const runId = await owner.accept({ package: packageName, isPrivate });
    await owner.commit(grant(runId, 1));
    return runId;
  }

  async function took(durationSeconds: number | null, packageName = 'hello'): Promise<void> {
    await owner.commit(finish(await leased(packageName), 1, { durationSeconds }));
  }

  /** The learned durations, sorted by package: their own order is no part of the contract. */
  async function durations(): Promise<{ package: string; durationMs: number }[]> {
    return (await owner.load()).durations.toSorted((a, b) => (a.package < b.package ? -1 : 1));
  }

  describe('durations', () => {
    it('durations of packages are what the first run took, then a moving average', async () => {
      await took(100);
      await took(40, 'gcc');
      expect(await durations()).toEqual([
        { package: 'gcc', durationMs: 40_000 },
        { package: 'hello', durationMs: 100_000 },
      ]);
      await took(200);
      expect((await durations())[1]!.durationMs).toBeCloseTo(130_000, 3);
    });

    it('durations of packages are learnt from several runs in one turn as from one after the other', async () => {
      await took(100);
      const ids = [await leased(), await leased(), await leased('gcc'), await leased('gcc')];
      await owner.commit(...ids.map((runId) => finish(runId, 1, { durationSeconds: 200 })));
      const [gcc, hello] = await durations();
      expect(gcc).toEqual({ package: 'gcc', durationMs: 200_000 });
      expect(hello!.durationMs).toBeCloseTo(151_000, 3);
    });

    it('no duration is learnt from a run without one, nor from an attempt that failed or brought no result', async () => {
      await took(null);
      const [failedRun, expired] = [await leased(), await leased()];
      const runOutcome = outcome({
        verdict: 'tmpfail',
        message: 'given up',
        durationSeconds: null,
        files: [],
      });
      await owner.commit(fail(failedRun, 1));
      await owner.commit({
        ...{ kind: 'finish', runId: expired, attempt: 1, attemptOutcome: 'expired' },
        ...{ outcome: runOutcome, worker: null },
      });
      expect((await owner.load()).durations).toEqual([]);
    });

    it('no duration is learnt from private runs, since all users see what follows from it', async () => {
      await took(100);
      const runIds = [await leased('hello', true), await leased('secret', true)];
      await owner.commit(...runIds.map((runId) => finish(runId, 1, { durationSeconds: 200 })));
      expect(await durations()).toEqual([{ package: 'hello', durationMs: 100_000 }]);
    });

    it('durations of packages keep to the architecture', async () => {
      await took(100);
      expect((await owner.books.journal.load('arm64', HALF_LIFE_MS)).durations).toEqual([]);
    });
  });

  describe('slot time', () => {
    const use = (requestor: string, slotMs: number) => ({
      ...{ kind: 'usage' as const, requestor, slotMs, publicSlotMs: slotMs / 3 },
    });

    it('usage is what was written last, and decays from then on', async () => {
      expect((await owner.load()).usage).toEqual([]);
      await owner.commit(use('ada', 60_000), use('ada', 30_000));
      const [used] = (await owner.load()).usage;
      expect(used!.requestor).toBe('ada');
      expect(used!.slotMs).toBeGreaterThan(29_000);
      expect(used!.slotMs).toBeLessThanOrEqual(30_000);
      expect(used!.publicSlotMs).toBeCloseTo(used!.slotMs / 3, 6);
      expect((await owner.books.journal.load('arm64', HALF_LIFE_MS)).usage).toEqual([]);
    });

    it('usage is forgotten when nothing is left, also when there was none', async () => {
      await owner.commit(use('ada', 60_000));
      await owner.commit(use('ada', 0));
      await owner.commit(use('ada', 0));
      expect((await owner.load()).usage).toEqual([]);
    });
  });

  it('a load has how long a run has waited and how long its lease was held', async () => {
    await leased();
    const [run] = (await owner.load()).runs;
    expect(run!.waitedMs).toBeGreaterThanOrEqual(0);
    expect(run!.lease!.heldMs).toBeLessThanOrEqual(run!.waitedMs);
    expect(run!.lease!.heldMs).toBeGreaterThanOrEqual(0);
  });
}
