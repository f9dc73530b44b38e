import type { Journal, Write } from '@proctor/dispatch';
import { ActorRig } from '@test/support/actor-rig';
import { finishedReport, startedReport } from '@test/support/runs';
import { silenceLog } from '@test/support/silent-log';
import { NotHandled, NotOwner } from './not-handled';

silenceLog();

describe('refused writes', () => {
  let rig: ActorRig;
  const load = jest.fn<ReturnType<Journal['load']>, Parameters<Journal['load']>>();

  beforeEach(() => {
    rig = new ActorRig();
    load.mockReset().mockImplementation((...args) => rig.books.load(...args));
  });
  afterEach(() => rig.end());

  /** A user cancels a run while the turn that holds this write is on its way. */
  function cancelling(runId: number, matches: (write: Write) => boolean): Journal['commit'] {
    return (arch, epoch, writes) => {
      if (writes.some(matches)) rig.books.cancel(runId, 'ada');
      return rig.books.commit(arch, epoch, writes);
    };
  }

  it('a dispatcher answers the report of a run that was cancelled without its knowledge, without loading again', async () => {
    rig.accept();
    await rig.start({ load });
    await rig.ask();
    const report = finishedReport(1, 1);
    expect(await rig.actor.request({ kind: 'may-finish', report })).toBe('counts');
    rig.books.cancel(1, 'ada');
    expect(await rig.actor.request({ kind: 'finished', report })).toBe('unknown');
    expect(await rig.actor.request({ kind: 'finished', report })).toBe('unknown');
    expect(load).toHaveBeenCalledTimes(1);
    expect(await rig.books.reportState(report)).toBe('over');
  });

  it('a slot whose run was cancelled gets the next best one, and all others of its turn are answered at once', async () => {
    const runs = Array.from({ length: 8 }, rig.accept);
    await rig.start({ load }, { arrivalsPerTurnMax: 100 });
    rig.books.cancel(runs[3] as number, 'ada');
    const granted = await Promise.all(runs.map((_, slot) => rig.ask(slot)));
    const expected = runs.filter((runId) => runId !== runs[3]).sort((a, b) => a - b);
    const runIds = granted.flatMap(({ lease }) => (lease ? [lease.runId] : []));
    expect(runIds.sort((a, b) => a - b)).toEqual(expected);
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('an arrival that was cancelled before it was in memory is not granted', async () => {
    await rig.start({
      load,
      arrivals: async (...args) => {
        const arrived = await rig.books.arrivals(...args);
        for (const { runId } of arrived.runs.slice(0, 1)) rig.books.cancel(runId, 'ada');
        return arrived;
      },
    });
    const [, secondRun] = [rig.accept(), rig.accept()];
    rig.actor.readArrivalsSoon();
    await rig.time(0);
    expect((await rig.ask()).lease?.runId).toBe(secondRun);
    expect((await rig.ask(1)).lease).toBeNull();
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('a message whose write was refused is answered when its dispatcher stops before handling it again', async () => {
    const cancelledRun = rig.accept();
    const commit = cancelling(cancelledRun, (write) => write.kind === 'grant');
    let goOn = (): void => undefined;
    await rig.start({
      commit: async (...args) => {
        const isGrant = args[2].some(({ kind }) => kind === 'grant');
        if (isGrant) await new Promise<void>((resolve) => (goOn = resolve));
        return commit(...args);
      },
    });
    const answered = jest.fn();
    rig.ask().catch((error: Error) => answered(error.constructor.name));
    await rig.time(0);
    const stopped = rig.actor.stop();
    goOn();
    await stopped;
    await rig.time(0);
    expect(answered.mock.calls).toEqual([[NotOwner.name]]);
  });

  it('no message is answered from a lease whose write was refused', async () => {
    const [best, next] = [rig.accept(), rig.accept()];
    await rig.start({ load, commit: cancelling(best, (write) => write.kind === 'grant') });
    // The same slot twice, as when its message was delivered twice: the second finds the lease of the first.
    const [first, second] = await Promise.all([rig.ask(0), rig.ask(0)]);
    expect([first.lease?.runId, second.lease?.runId]).toEqual([next, next]);
    expect(rig.books.look(next)?.attempt).toBe(1);
    const explained = await rig.actor.request({ kind: 'explain', runId: best });
    expect(explained.position).toBeNull();
    expect(explained.reasons).toHaveLength(1);
  });

  it('a lost lease leaves nothing in memory: slot, caps and slot time are as before', async () => {
    const cancelledRun = rig.accept();
    await rig.start({ load, commit: cancelling(cancelledRun, (write) => write.kind === 'grant') });
    expect((await rig.ask()).lease).toBeNull();
    const other = rig.accept();
    rig.actor.readArrivalsSoon();
    await rig.time(0);
    expect((await rig.ask()).lease?.runId).toBe(other);
    expect((await rig.actor.request({ kind: 'status' })).workers).toMatchObject([{ busy: 1 }]);
    rig.actor.setReportsWaiting([]);
    await rig.time(59_000);
    expect(rig.books.look(other)?.state).toBe('leased');
  });

  it('a report is judged again when the start in its turn was refused', async () => {
    const runId = rig.accept();
    await rig.start({ load, commit: cancelling(runId, (write) => write.kind === 'start') });
    await rig.ask();
    const report = finishedReport(runId, 1);
    const [, answer] = await Promise.all([
      rig.actor.request({ kind: 'started', report: startedReport(runId, 1) }),
      rig.actor.request({ kind: 'finished', report }),
    ]);
    expect(answer).toBe('unknown');
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('a message that meets a changing run again and again is answered to come later', async () => {
    rig.accept();
    const commit = jest.fn((_arch: string, _epoch: number, writes: Write[]) => Promise.resolve(writes));
    await rig.start({ load });
    jest.spyOn(rig.books, 'commit').mockImplementation(commit);
    await expect(rig.ask()).rejects.toThrow(NotHandled);
    expect(commit.mock.calls.length).toBeLessThan(20);
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('a dispatcher loads all rows when it cannot read again those that refused a write', async () => {
    const [best, next] = [rig.accept(), rig.accept()];
    await rig.start({ load, listUnfinished: () => Promise.reject(new Error('away')) });
    rig.books.cancel(best, 'ada');
    expect((await rig.ask()).lease?.runId).toBe(next);
    expect(load).toHaveBeenCalledTimes(2);
  });
});
