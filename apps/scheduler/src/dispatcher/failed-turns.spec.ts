import { StaleEpoch, WriteRefused, type Journal, type Write } from '@proctor/dispatch';
import { ActorRig } from '@test/support/actor-rig';
import { ARCH, finishedReport, settings, startedReport } from '@test/support/runs';
import { silenceLog } from '@test/support/silent-log';
import { NotHandled } from './not-handled';

silenceLog();

describe('failed turns', () => {
  let rig: ActorRig;
  const load = jest.fn<ReturnType<Journal['load']>, Parameters<Journal['load']>>();

  beforeEach(() => {
    rig = new ActorRig();
    load.mockReset().mockImplementation((...args) => rig.books.load(...args));
  });
  afterEach(() => rig.end());

  /** Lets some commits fail before anything is written. */
  function failing(isToFail: (writes: Write[]) => Error | null): Journal['commit'] {
    return (arch, epoch, writes) => {
      const error = isToFail(writes);
      return error ? Promise.reject(error) : rig.books.commit(arch, epoch, writes);
    };
  }

  it('an order that was not committed as ingested stops nothing, and is ingested later', async () => {
    rig.accept();
    let failures = 1;
    const isTaking = (writes: Write[]) => writes.some(({ kind }) => kind === 'ingest-order');
    await rig.start({
      commit: failing((writes) => (isTaking(writes) && failures-- > 0 ? new Error('away') : null)),
    });
    await rig.ask();
    rig.books.cancel(1, 'ada');
    rig.actor.readOrdersSoon();
    await rig.time(0);
    expect([rig.books.ordersWaiting, rig.stopSignalled.mock.calls]).toEqual([[1], []]);
    await rig.time(1_000);
    expect(rig.books.ordersWaiting).toEqual([]);
    expect(rig.stopSignalled).toHaveBeenCalledTimes(1);
  });

  it('a dispatcher grants the next run when the best one was cancelled without its knowledge', async () => {
    const [best, next] = [rig.accept(), rig.accept()];
    await rig.start();
    rig.books.cancel(best, 'ada');
    expect((await rig.ask()).lease).toMatchObject({ runId: next, attempt: 1 });
    expect(rig.books.look(best)?.attempt).toBe(0);
  });

  it('a dispatcher refuses the one message that the database refuses, and handles the others', async () => {
    const runs = [rig.accept(), rig.accept()];
    const isStart = (writes: Write[]) => writes.some(({ kind }) => kind === 'start');
    await rig.start({ commit: failing((writes) => (isStart(writes) ? new WriteRefused('refused') : null)) });
    await Promise.all([rig.ask(0), rig.ask(1)]);
    const started = rig.actor.request({ kind: 'started', report: startedReport(runs[0] as number, 1) });
    const reportAnswer = rig.actor.request({
      kind: 'finished',
      report: finishedReport(runs[0] as number, 1),
    });
    await expect(started).rejects.toThrow(WriteRefused);
    await expect(reportAnswer).resolves.toBe('counts');
    expect(rig.books.look(runs[0] as number)?.state).toBe('finished');
    expect((await rig.ask(1)).lease?.runId).toBe(runs[1]);
  });

  it('a message that was not tried alone is not blamed', async () => {
    const runs = Array.from({ length: 5 }, rig.accept);
    const isFinish = (writes: Write[]) => writes.some(({ kind }) => kind === 'finish');
    await rig.start({ commit: failing((writes) => (isFinish(writes) ? new WriteRefused('no') : null)) });
    for (const [slot] of runs.entries()) await rig.ask(slot);
    const reports = runs.map((runId, slot) => finishedReport(runId, 1, { slot }));
    const answers = await Promise.allSettled(
      reports.map((report) => rig.actor.request({ kind: 'finished', report })),
    );
    const errors = answers.map((answer) => (answer.status === 'rejected' ? (answer.reason as Error) : null));
    expect(errors.slice(0, 3).every((error) => error instanceof WriteRefused)).toBe(true);
    expect(errors.slice(3).every((error) => error instanceof NotHandled)).toBe(true);
    await rig.time(0);
    expect((await rig.ask(9)).arch).toBe(ARCH);
  });

  it('every message of a failed turn is answered when the ownership ends before all were tried alone', async () => {
    [1, 2, 3].forEach(rig.accept);
    let commits = 0;
    const isGrant = (writes: Write[]) => writes.some(({ kind }) => kind === 'grant');
    const failure = () => (commits++ === 0 ? new Error('connection lost') : new StaleEpoch(ARCH, 1));
    await rig.start({ commit: failing((writes) => (isGrant(writes) ? failure() : null)) });
    const answers: string[] = [];
    for (const slot of [0, 1, 2]) rig.ask(slot).catch((error: Error) => answers.push(error.constructor.name));
    await rig.time(1_000);
    expect(answers).toEqual(['StaleEpoch', 'StaleEpoch', 'StaleEpoch']);
  });

  it('a slot gets its lease when a turn was committed but not confirmed', async () => {
    rig.accept();
    let failures = 1;
    await rig.start({
      commit: async (arch, epoch, writes) => {
        const refusals = await rig.books.commit(arch, epoch, writes);
        if (writes.some(({ kind }) => kind === 'grant') && failures-- > 0) throw new Error('connection lost');
        return refusals;
      },
    });
    expect((await rig.ask()).lease).toMatchObject({ runId: 1, attempt: 1 });
    expect(rig.books.look(1)?.attempt).toBe(1);
  });

  it('a dispatcher refuses everything while the rows cannot be loaded, and goes on when they can', async () => {
    let isAway = true;
    rig.accept();
    await rig.start({
      load: (...args) => (isAway ? Promise.reject(new Error('away')) : rig.books.load(...args)),
    });
    const rejection = expect(rig.ask()).rejects.toThrow(NotHandled);
    await rig.time(1_000);
    await rejection;
    isAway = false;
    await rig.time(2_000);
    expect((await rig.ask()).lease?.runId).toBe(1);
  });

  it('a dispatcher still knows which reports wait after a turn has failed', async () => {
    rig.accept();
    let failures = 1;
    const isGrant = (writes: Write[]) => writes.some(({ kind }) => kind === 'grant');
    await rig.start({
      commit: failing((writes) => (isGrant(writes) && failures-- > 0 ? new Error('away') : null)),
    });
    rig.actor.setReportsWaiting([]);
    await rig.time(0);
    await rig.ask();
    await rig.time(60_000);
    expect(rig.books.look(1)?.attempts[0]?.outcome).toBe('expired');
  });

  describe('what a dispatcher learns before the rows of its lines cannot be read', () => {
    let failures: number;

    /** @param notify what the dispatcher learns with the grant of run 3; then its line is short, and has to be read further */
    async function startWithLine(notify: () => void): Promise<void> {
      [1, 2, 3, 4, 5].forEach(rig.accept);
      failures = 0;
      await rig.start(
        {
          commit: (arch, epoch, writes) => {
            if (writes.some((write) => write.kind === 'grant' && write.runId === 3)) {
              failures = 1;
              notify();
            }
            return rig.books.commit(arch, epoch, writes);
          },
          nextOfLine: (...args) =>
            failures-- > 0 ? Promise.reject(new Error('away')) : rig.books.nextOfLine(...args),
        },
        { dispatch: settings({ window: { runsMax: 2, refillBelow: 2, blockRuns: 1 } }) },
      );
    }

    it('a dispatcher that knows which reports wait still knows it after the turn has failed', async () => {
      await startWithLine(() => rig.actor.setReportsWaiting([]));
      for (const slot of [0, 1, 2]) await rig.ask(slot);
      await rig.time(0);
      expect(failures).toBe(0);
      await rig.time(60_000);
      expect(rig.books.look(1)?.attempts[0]?.outcome).toBe('expired');
    });

    it('a dispatcher that knows that no renewal could come lets no lease expire for it after the turn has failed', async () => {
      await startWithLine(() => rig.actor.onReachable());
      rig.actor.setReportsWaiting([]);
      await rig.ask(0);
      await rig.time(50_000);
      for (const slot of [1, 2]) await rig.ask(slot);
      await rig.time(0);
      expect(failures).toBe(0);
      await rig.time(20_000);
      expect(rig.books.look(1)?.state).toBe('leased');
      await rig.time(60_000);
      expect(rig.books.look(1)?.attempts[0]?.outcome).toBe('expired');
    });
  });
});
