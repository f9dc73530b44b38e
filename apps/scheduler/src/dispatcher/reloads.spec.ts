import type { Write } from '@proctor/dispatch';
import { ActorRig, POLL_MS } from '@test/support/actor-rig';
import { ARCH, finishedReport, settings } from '@test/support/runs';
import { silenceLog } from '@test/support/silent-log';

silenceLog();

describe('reloads', () => {
  let rig: ActorRig;
  let failures: number;
  let isHanging: boolean;

  beforeEach(() => {
    rig = new ActorRig();
    failures = 0;
    isHanging = false;
  });
  afterEach(() => rig.end());

  const start = (changes = {}) =>
    rig.start(
      {
        commit: (arch: string, epoch: number, writes: Write[]) => {
          if (isHanging) return new Promise(() => undefined);
          if (failures-- > 0) return Promise.reject(new Error('the connection was lost'));
          return rig.books.commit(arch, epoch, writes);
        },
      },
      changes,
    );

  /** A turn that writes something fails. */
  async function loadAgain(): Promise<void> {
    rig.books.decisions.trust([ARCH], 'w9', 'ada', null);
    failures = 1;
    rig.actor.readOrdersSoon();
    await rig.time(0);
    expect(failures).toBe(0);
    failures = 0;
  }

  it('the lease of a dead worker expires however often the dispatcher loads again', async () => {
    const runId = rig.accept();
    await start();
    rig.actor.setReportsWaiting([]);
    await rig.ask();
    for (let passedMs = 0; passedMs < 70_000; passedMs += 10_000) {
      await loadAgain();
      await rig.time(10_000);
    }
    expect(rig.books.look(runId)?.attempts[0]?.outcome).toBe('expired');
  });

  it('a lease does not expire for the time in which its dispatcher could not receive renewals', async () => {
    const runId = rig.accept();
    let isAway = false;
    await rig.start({
      load: (...args) => (isAway ? Promise.reject(new Error('away')) : rig.books.load(...args)),
      commit: (arch, epoch, writes) =>
        isAway ? Promise.reject(new Error('away')) : rig.books.commit(arch, epoch, writes),
    });
    rig.actor.setReportsWaiting([]);
    await rig.ask();
    await rig.time(30_000);
    isAway = true;
    rig.books.decisions.trust([ARCH], 'w9', 'ada', null);
    rig.actor.readOrdersSoon();
    await rig.time(300_000);
    isAway = false;
    await rig.time(29_000);
    expect(rig.books.look(runId)?.state).toBe('leased');
    await rig.time(15_000);
    expect(rig.books.look(runId)?.attempts[0]?.outcome).toBe('expired');
  });

  it('a dispatcher whose runs cannot be loaded waits longer after each time, and stops when they are', async () => {
    const loads: number[] = [];
    let isAway = true;
    await rig.start({
      load: (...args) => {
        loads.push(rig.clock.now());
        return isAway ? Promise.reject(new Error('away')) : rig.books.load(...args);
      },
    });
    await rig.time(60_000);
    const pauses = loads.slice(1).map((at, place) => at - loads[place]!);
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000, 10_000]);
    isAway = false;
    await rig.time(10_000);
    const { length } = loads;
    await rig.time(60_000);
    expect(loads).toHaveLength(length);
  });

  it('a run that failed waits as long as before when the dispatcher loads again', async () => {
    const runId = rig.accept();
    await start();
    await rig.ask();
    await rig.actor.request({ kind: 'finished', report: finishedReport(runId, 1, { verdict: 'tmpfail' }) });
    await rig.time(10_000);
    await loadAgain();
    await rig.time(19_999);
    const granted = async () =>
      (await Promise.all([1, 2, 3].map((slot) => rig.ask(slot)))).map((r) => r.lease);
    expect((await granted()).map((lease) => lease?.runId)).not.toContain(runId);
    await rig.time(1);
    expect((await granted()).map((lease) => lease?.runId)).toContain(runId);
  });

  it('an attempt whose result is being stored is not executed again after the dispatcher loads again', async () => {
    const [stored, next] = [rig.accept(), rig.accept()];
    await start();
    expect((await rig.ask()).lease?.runId).toBe(stored);
    expect(await rig.actor.request({ kind: 'may-finish', report: finishedReport(stored, 1) })).toBe('counts');
    await loadAgain();
    expect((await rig.ask()).lease?.runId).toBe(next);
  });

  it('a dispatcher still knows its workers after it loads again', async () => {
    await start();
    await rig.ask();
    await loadAgain();
    expect((await rig.actor.request({ kind: 'status' })).workers).toMatchObject([{ worker: 'w1' }]);
  });

  it('a dispatcher gives up a turn whose commit hangs, and goes on', async () => {
    const runId = rig.accept();
    await start();
    isHanging = true;
    const answer = rig.ask();
    await rig.time(2_999);
    isHanging = false;
    await rig.time(2);
    expect((await answer).lease).toMatchObject({ runId, attempt: 1 });
  });

  it('leases expire while the mailbox is never empty', async () => {
    const runs = Array.from({ length: 100 }, rig.accept);
    await rig.start(
      {
        commit: async (arch, epoch, writes) => {
          await new Promise<void>((resolve) => rig.clock.after(1_000, resolve));
          return rig.books.commit(arch, epoch, writes);
        },
      },
      { turnMessagesMax: 1, arrivalsPerTurnMax: 100 },
    );
    await rig.time(1_000);
    rig.actor.setReportsWaiting([]);
    let slot = 0;
    const askOn = (): Promise<void> => rig.ask(slot++).then(askOn, () => undefined);
    for (let waiting = 0; waiting < 3; waiting += 1) void askOn();
    await rig.time(75_000);
    expect(slot).toBeGreaterThan(60);
    const stop = rig.actor.stop();
    await rig.time(2_000);
    await stop;
    expect(rig.books.look(runs[0]!)?.attempts[0]?.outcome).toBe('expired');
  });

  it('all of a long line are read when the window is taken away, as for size classes', async () => {
    const window = { runsMax: 2, refillBelow: 1, blockRuns: 1 };
    const loaded: (number | undefined)[] = [];
    const ids = [1, 2, 3, 4, 5].map(rig.accept);
    await rig.start(
      {
        load: (arch, halfLifeMs, perLineMax) => {
          loaded.push(perLineMax);
          return rig.books.load(arch, halfLifeMs, perLineMax);
        },
      },
      { dispatch: settings({ window }) },
    );
    await rig.ask();
    expect(await rig.position(ids[4]!)).toBe(4);
    rig.actor.reconfigure(rig.settings({ dispatch: settings({ window: { ...window, runsMax: 3 } }) }));
    await rig.time(POLL_MS);
    expect(loaded).toEqual([2]);
    rig.actor.reconfigure(rig.settings());
    await rig.time(POLL_MS);
    expect(loaded).toEqual([2, Infinity]);
    expect(await rig.position(ids[4]!)).toBe(4);
  });
});
