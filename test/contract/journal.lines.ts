import type { RunRequest } from '@proctor/contracts';
import type { CountLimits, DispatchedRun } from '@proctor/dispatch';
import { ARCH, grant, HALF_LIFE_MS, type JournalFixture, Owner, request, requeue } from './journal.fixture';

const idsOf = (runs: { runId: number }[]) => runs.map(({ runId }) => runId);

/** The runs of a line that wait and were never granted, a part at a time. */
export function journalLines(make: () => Promise<JournalFixture>): void {
  const owner = new Owner(make);
  const load = (perLineMax: number) => owner.books.journal.load(ARCH, HALF_LIFE_MS, perLineMax);
  const submit = (count: number, change: Partial<RunRequest> = {}) =>
    owner.books.submit(Array.from({ length: count }, () => request(change)));
  /** The runs at the edges. */
  const edgesOf = async (perLineMax: number): Promise<DispatchedRun[]> => (await load(perLineMax)).edges;

  it('loads the first of each line, and all that were ever granted', async () => {
    const plain = await submit(4);
    const urgent = await submit(3, { priority: 9 });
    const elsewhere = await submit(2, { suite: 'sid' });
    const secret = await submit(3, { isPrivate: true });
    await submit(3, { arch: 'arm64' });
    await owner.commit(grant(plain[1]!, 1), grant(plain[2]!, 1), requeue(plain[2]!, 1));
    const { runs, edges } = await load(2);
    const first = [...plain, ...urgent.slice(0, 2), ...elsewhere, ...secret.slice(0, 2)];
    expect(idsOf(runs)).toEqual(first);
    expect(idsOf(edges).sort((a, b) => a - b)).toEqual([plain[3], urgent[1], elsewhere[1], secret[1]]);
    expect((await load(100)).edges).toEqual([]);
    expect(idsOf((await load(100)).runs)).toEqual(idsOf((await owner.load()).runs));
  });

  it('loads however many lines there are', async () => {
    const requests = Array.from({ length: 450 }, (_, index) => request({ variant: `v${index % 225}` }));
    const ids = await owner.books.submit(requests);
    const { runs, edges } = await load(1);
    expect(idsOf(runs)).toEqual(ids.slice(0, 225));
    expect(idsOf(edges).sort((a, b) => a - b)).toEqual(ids.slice(0, 225));
    expect(idsOf((await owner.load()).runs)).toEqual(ids);
  });

  it('reads a line on from a place in it, as far as it is asked to', async () => {
    const ids = await submit(5);
    await submit(2, { priority: 6 });
    await submit(2, { variant: 'other' });
    const [edge] = await edgesOf(2);
    const next = (limit: number, after: DispatchedRun) => owner.books.journal.nextOfLine(ARCH, after, limit);
    const two = await next(2, edge!);
    expect(idsOf(two)).toEqual(ids.slice(2, 4));
    expect(idsOf(await next(2, two[1]!))).toEqual(ids.slice(4));
    expect(await next(2, { ...edge!, requestor: 'eve' })).toEqual([]);
    await owner.commit(grant(ids[2]!, 1));
    await owner.books.cancel(ids[3]!, 'ada');
    expect(idsOf(await next(9, edge!))).toEqual(ids.slice(4));
  });

  it('the runs of a stretch of a line are counted by blocks, as far as it is asked to', async () => {
    const ids = await submit(7);
    const urgent = await submit(3, { priority: 9 });
    await submit(2, { isPrivate: true });
    const all = (await owner.load()).runs;
    const at = (runId: number | undefined) => all.find((run) => run.runId === runId)!;
    const { journal } = owner.books;
    const count = async (limits: CountLimits, ...stretches: (number | undefined)[][]) => {
      const parts = await journal.countBeyond(
        ARCH,
        stretches.map(([after, upTo]) => {
          return { place: at(after), after: at(after), upTo: upTo === undefined ? null : at(upTo) };
        }),
        limits,
      );
      return parts.map((stretch) => stretch.map(({ end, count }) => [end.runId, count]));
    };
    const limits = { blockRuns: 2, runsMax: 100 };
    expect(await count(limits, [ids[0]], [urgent[0], urgent[2]], [ids[1], ids[4]], [ids[6]])).toEqual([
      [
        [ids[2], 2],
        [ids[4], 2],
        [ids[6], 2],
      ],
      [[urgent[2], 2]],
      [
        [ids[3], 2],
        [ids[4], 1],
      ],
      [],
    ]);
    expect(await count({ blockRuns: 4, runsMax: 5 }, [ids[0]])).toEqual([
      [
        [ids[4], 4],
        [ids[5], 1],
      ],
    ]);
    await owner.commit(grant(ids[2]!, 1));
    await owner.books.cancel(ids[3]!, 'ada');
    expect(await count(limits, [ids[1], ids[4]])).toEqual([[[ids[4], 1]]]);
    expect(await count(limits)).toEqual([]);
    const [part] = (
      await journal.countBeyond(ARCH, [{ place: at(ids[4]), after: at(ids[4]), upTo: null }], limits)
    )[0]!;
    const { arrivedAt, runId } = at(ids[6]);
    expect(part).toEqual({ end: { arrivedAt, runId }, count: 2 });
  });

  it('the last run of each line that goes beyond a place is found', async () => {
    const ids = await submit(5);
    const urgent = await submit(3, { priority: 9 });
    await submit(1, { priority: 8 });
    const lasts = await owner.books.journal.lastBeyond(ARCH, await edgesOf(1));
    expect(idsOf(lasts)).toEqual([ids[4], urgent[2]]);
    expect(await owner.books.journal.lastBeyond(ARCH, [])).toEqual([]);
  });
}
