import { type JournalPosition, StaleEpoch, type Write } from '@proctor/dispatch';
import { ActorRig, POLL_MS, TERM_MS } from '@test/support/actor-rig';
import { ARCH, settings } from '@test/support/runs';
import { silenceLog } from '@test/support/silent-log';
import { MailboxFull } from './mailbox';
import { NotOwner } from './not-handled';

silenceLog();

describe('DispatcherActor', () => {
  let rig: ActorRig;

  beforeEach(() => (rig = new ActorRig()));
  afterEach(() => rig.end());

  it('a dispatcher uses a new configuration from its next turn on, also after it loads again', async () => {
    let failures = 0;
    const halfLives: number[] = [];
    await rig.start({
      commit: (arch, epoch, writes) =>
        failures-- > 0 ? Promise.reject(new Error('no')) : rig.books.commit(arch, epoch, writes),
      load: (arch, halfLifeMs) => {
        halfLives.push(halfLifeMs);
        return rig.books.load(arch, halfLifeMs);
      },
    });
    const newSettings = rig.settings({
      arrivalPollMs: 10,
      mailboxLengthMax: 1,
      dispatch: settings({ askAgainMs: 77, fairShare: { halfLifeMs: 1_000, weightOf: () => 1 } }),
    });
    rig.actor.reconfigure(newSettings);
    const answered = rig.ask();
    await expect(rig.ask(1)).rejects.toThrow(MailboxFull);
    await rig.time(0);
    expect((await answered).askAgainMs).toBe(77);
    const runId = rig.accept();
    await rig.time(10);
    expect(await rig.knows(runId)).toBe(true);
    failures = 1;
    const again = rig.ask();
    rig.actor.reconfigure({ ...newSettings, dispatch: { ...newSettings.dispatch, askAgainMs: 88 } });
    await rig.time(1_000);
    expect((await again).askAgainMs).toBe(88);
    expect(halfLives).toEqual([3_600_000, 1_000]);
  });

  describe('committed changes of others', () => {
    it('a dispatcher ingests new runs at a command, or else at the next poll', async () => {
      await rig.start();
      const [first, second] = [rig.accept(), rig.accept()];
      await rig.time(POLL_MS - 1);
      expect(await rig.knows(first)).toBe(false);
      rig.actor.readArrivalsSoon();
      await rig.time(0);
      expect(await rig.knows(second)).toBe(true);
      const third = rig.accept();
      await rig.time(POLL_MS);
      expect(await rig.knows(third)).toBe(true);
      expect(rig.signalled).toHaveBeenCalledWith(ARCH, null);
    });

    it('a dispatcher ingests more runs than one turn allows, turn after turn', async () => {
      await rig.start();
      const runs = Array.from({ length: 7 }, rig.accept);
      rig.actor.readArrivalsSoon();
      await rig.time(0);
      expect(await Promise.all(runs.map((runId) => rig.knows(runId)))).toEqual(runs.map(() => true));
    });

    it('a dispatcher ingests fewer runs at a time while messages wait long for its turns', async () => {
      const limits: number[] = [];
      let requests = 0;
      const slowly = async (arch: string, limit: number, position?: JournalPosition) => {
        limits.push(limit);
        // For the turn after this one.
        if ((requests += 1) <= 4) void rig.ask();
        await new Promise<void>((resolve) => void rig.clock.after(60, resolve));
        return rig.books.arrivals(arch, limit, position);
      };
      await rig.start({ arrivals: slowly }, { arrivalsPerTurnMax: 8 });
      Array.from({ length: 30 }, rig.accept);
      await rig.time(1_000);
      expect(limits).toEqual([8, 8, 4, 2, 1, 1, 1, 2, 4]);
    });

    it('a dispatcher ingests an order at a command, or else at the next poll, and has the attempt stopped', async () => {
      const [first, second] = [rig.accept(), rig.accept()];
      await rig.start();
      await Promise.all([rig.ask(0), rig.ask(1)]);
      rig.books.cancel(first, 'ada');
      rig.actor.readOrdersSoon();
      await rig.time(0);
      expect(rig.books.ordersWaiting).toEqual([]);
      const reason = 'the run was cancelled by ada';
      const stop = { worker: 'w1', runId: first, attempt: 1, grantEpoch: 1, reason };
      expect(rig.stopSignalled.mock.calls).toEqual([[stop]]);
      rig.books.cancel(second, 'ada');
      await rig.time(POLL_MS);
      expect(rig.books.ordersWaiting).toEqual([]);
      expect(rig.stopSignalled).toHaveBeenLastCalledWith(expect.objectContaining({ runId: second }));
    });

    it('a pause applies before anything else of the same turn, and so does its end', async () => {
      rig.accept();
      await rig.start();
      rig.books.decisions.pause({ arch: ARCH, suite: null }, 'ada', 'the archive is broken');
      rig.actor.readOrdersSoon();
      expect((await rig.ask()).lease).toBeNull();
      expect(rig.books.decisions.waiting()).toEqual([]);
      rig.signalled.mockClear();
      rig.books.decisions.resume({ arch: ARCH, suite: null });
      await rig.time(POLL_MS);
      expect(rig.signalled).toHaveBeenCalledWith(ARCH, null);
      expect((await rig.ask()).lease).not.toBeNull();
    });

    it('an order whose decisions could not be read is not ingested', async () => {
      rig.accept();
      let isAway = false;
      await rig.start({
        restrictions: (arch) => (isAway ? Promise.reject(new Error('away')) : rig.books.restrictions(arch)),
      });
      isAway = true;
      rig.books.decisions.drain('w1', 'ada', 'its disk');
      rig.actor.readOrdersSoon();
      await rig.time(0);
      expect(rig.books.decisions.waiting()).toHaveLength(1);
      isAway = false;
      await rig.time(1_000);
      expect(rig.books.decisions.waiting()).toEqual([]);
      expect((await rig.ask()).lease).toBeNull();
    });
  });

  it('committed facts are announced after each turn that wrote something, and after no other', async () => {
    await rig.start();
    await rig.ask();
    expect(rig.onFactsCommitted).not.toHaveBeenCalled();
    rig.accept();
    rig.actor.readArrivalsSoon();
    await rig.time(0);
    expect(rig.onFactsCommitted.mock.calls).toEqual([[ARCH]]);
  });

  it('a dispatcher commits the writes of all messages of a turn at once, before it answers any', async () => {
    const turns: Write[][] = [];
    let confirm = (): void => undefined;
    rig.accept();
    rig.accept();
    await rig.start({
      commit: async (arch, epoch, writes) => {
        const refusals = await rig.books.commit(arch, epoch, writes);
        turns.push(writes);
        await new Promise<void>((resolve) => (confirm = resolve));
        return refusals;
      },
    });
    confirm();
    await rig.time(0);
    confirm();
    await rig.time(0);
    const answered = jest.fn();
    const replies = Promise.all([rig.ask(0), rig.ask(1)]).then(answered);
    await rig.time(0);
    expect(turns.at(-1)).toMatchObject([{ kind: 'grant' }, { kind: 'grant' }]);
    expect(answered).not.toHaveBeenCalled();
    confirm();
    await replies;
    expect(answered).toHaveBeenCalledWith([
      expect.objectContaining({ lease: expect.anything() }),
      expect.objectContaining({ lease: expect.anything() }),
    ]);
  });

  it('leases expire without a message, once it is known which reports wait', async () => {
    rig.accept();
    await rig.start();
    await rig.ask();
    await rig.time(600_000);
    expect(rig.books.look(1)?.state).toBe('leased');
    rig.actor.setReportsWaiting([]);
    await rig.time(0);
    expect(rig.books.look(1)?.attempts[0]?.outcome).toBe('expired');
  });

  it('a dispatcher has a bounded mailbox', async () => {
    await rig.start({ load: () => new Promise(() => undefined) }, { mailboxLengthMax: 1 });
    const first = expect(rig.ask(0)).rejects.toThrow(NotOwner);
    await expect(rig.ask(1)).rejects.toThrow(MailboxFull);
    void rig.actor.stop();
    await first;
    rig.actor = { stop: () => Promise.resolve() } as unknown as typeof rig.actor;
  });

  describe('the end of a term', () => {
    it('a dispatcher steps down when another epoch has begun', async () => {
      rig.accept();
      await rig.start();
      await rig.books.release(ARCH, 's1');
      await rig.books.claim(ARCH, 's2', TERM_MS);
      await expect(rig.ask()).rejects.toThrow(StaleEpoch);
      await rig.time(0);
      expect(rig.onEnd).toHaveBeenCalledTimes(1);
      await expect(rig.ask()).rejects.toThrow(NotOwner);
      expect(rig.books.look(1)?.attempt).toBe(0);
    });

    it('a dispatcher answers nothing that was committed after its term ended by its own clock', async () => {
      rig.accept();
      await rig.start({
        commit: async (arch, epoch, writes) => {
          const refusals = await rig.books.commit(arch, epoch, writes);
          if (writes.some(({ kind }) => kind === 'grant')) rig.term.setEnd(rig.clock.now());
          return refusals;
        },
      });
      await expect(rig.ask()).rejects.toThrow(NotOwner);
      await rig.time(0);
      expect(rig.onEnd).toHaveBeenCalledTimes(1);
    });
  });
});
