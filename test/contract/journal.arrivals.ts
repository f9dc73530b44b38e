import type { JournalPosition } from '@proctor/dispatch';
import { ARCH, finish, grant, type JournalFixture, Owner, request, requeue } from './journal.fixture';

export function journalArrivals(make: () => Promise<JournalFixture>): void {
  const owner = new Owner(make);
  let position: JournalPosition | undefined;
  let isMore = false;
  /** The ids of the runs that have arrived since the last call. */
  const arrivingIds = async (limit = 100) => {
    const arrived = await owner.books.journal.arrivals(ARCH, limit, position);
    ({ position, more: isMore } = arrived);
    return arrived.runs.map(({ runId }) => runId);
  };
  beforeEach(async () => {
    position = (await owner.load()).position;
  });

  it('accepted runs are given as they were asked for, oldest first', async () => {
    const requestedRun = request({
      package: 'libfoo',
      priority: 9,
      trigger: 'glibc/2.36',
      pinPackages: [['src:glibc', 'sid']],
      extraAptSources: ['staging'],
      isPrivate: true,
    });
    const [first, second] = await owner.books.submit([requestedRun, request()]);
    const { runs: arrived } = await owner.books.journal.arrivals(ARCH, 10, position);
    expect(arrived.map((run) => run.runId)).toEqual([first, second]);
    expect(arrived[0]).toEqual({
      ...requestedRun,
      runId: first,
      requestor: 'ada',
      arrivedAt: expect.any(Number),
      waitedMs: expect.any(Number),
      attempt: 0,
      grantEpoch: 0,
      attemptsLost: 0,
      failedOn: [],
      lease: null,
      latestWorker: null,
      latestFailed: false,
      latestLost: null,
    });
    expect(Number.isInteger(arrived[0]!.arrivedAt)).toBe(true);
  });

  it('arrivals keep to the architecture and to the limit', async () => {
    const ids = await owner.books.submit([request(), request({ arch: 'arm64' }), request(), request()]);
    expect(await arrivingIds(2)).toEqual([ids[0], ids[2]]);
    expect(await arrivingIds(2)).toEqual([ids[3]]);
    expect(await arrivingIds(2)).toEqual([]);
  });

  it('each run is given once to a reader that says what was seen, however many come meanwhile', async () => {
    const arrivedIds: number[] = [];
    const ids: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      const slow = await owner.books.submitSlowly(request());
      ids.push(slow.runId, ...(await owner.books.submit([request(), request(), request()])));
      arrivedIds.push(...(await arrivingIds(2)));
      await slow.commit();
      arrivedIds.push(...(await arrivingIds(1)));
    }
    do arrivedIds.push(...(await arrivingIds(3)));
    while (isMore);
    expect(new Set(arrivedIds)).toEqual(new Set(ids));
  });

  it('no run is given that was there when all were loaded, and all are given to a reader that has seen none', async () => {
    const [first, second] = await owner.books.submit([request(), request()]);
    ({ position } = await owner.load());
    const third = await owner.accept();
    expect(await arrivingIds()).toEqual([third]);
    const { runs } = await owner.books.journal.arrivals(ARCH, 10);
    expect(runs.map(({ runId }) => runId)).toEqual([first, second, third]);
  });

  it('an arrival is given once, and not when its run waits again', async () => {
    const runId = await owner.accept();
    expect(await arrivingIds()).toEqual([runId]);
    expect(await arrivingIds()).toEqual([]);
    await owner.commit(grant(runId, 1), requeue(runId, 1));
    expect(await arrivingIds()).toEqual([]);
  });

  it('a run that was granted or finished before is not given', async () => {
    const [granted, finishedRun] = await owner.books.submit([request(), request()]);
    await owner.commit(grant(granted!, 1), requeue(granted!, 1), finish(finishedRun!, 0));
    expect(await arrivingIds()).toEqual([]);
  });

  it('a run that is committed after runs with later ids were given is found', async () => {
    const slow = await owner.books.submitSlowly(request());
    const later = await owner.accept();
    expect(later).toBeGreaterThan(slow.runId);
    expect(await arrivingIds()).toEqual([later]);
    await slow.commit();
    expect(await arrivingIds()).toEqual([slow.runId]);
  });
}
