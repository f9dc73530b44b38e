import { StaleEpoch, type Journal, type Write } from '@proctor/dispatch';
import { request } from '../../../../test/contract/journal.contract';
import { MemoryBooks } from '../../../../test/simulation/memory-books';
import { VirtualClock } from '../../../../test/simulation/world/virtual-clock';
import { ARCH, finishedReport, leaseRequest, settings, startedReport } from '../../../../test/support/runs';
import { Tenure } from '../ownership/tenure';
import { DispatcherActor } from './dispatcher-actor';
import { MailboxFull } from './mailbox';
import { NotOwner } from './turn';
import { silenceLog } from '../../../../test/support/silent-log';

const POLL_MS = 5_000;
const TENURE_MS = 10_000_000;
const SLOT = leaseRequest({ testbeds: [{ suite: 'bookworm', backend: 'unshare', state: 'ready' }] });

silenceLog();

describe('DispatcherActor', () => {
  const clock = new VirtualClock();
  const signalled = jest.fn();
  const stopSignalled = jest.fn();
  const ended = jest.fn();
  let books: MemoryBooks;
  let tenure: Tenure;
  let actor: DispatcherActor;

  beforeEach(() => {
    books = new MemoryBooks(() => clock.now());
  });
  afterEach(async () => {
    await actor.stop();
    tenure.close();
    jest.clearAllMocks();
  });

  async function start(
    journal: Partial<Journal> = {},
    changes: { mailboxLengthMax?: number } = {},
  ): Promise<void> {
    await books.release(ARCH, 's1');
    const ownership = await books.claim(ARCH, 's1', TENURE_MS);
    tenure = new Tenure(ownership ?? fail(), clock, ended);
    tenure.extendTo(clock.now() + TENURE_MS);
    const ports = {
      ...{ journal: wrapped(journal), clock, isHearing: () => true },
      ...{ signalWorkWaiting: signalled, signalStop: stopSignalled },
    };
    actor = new DispatcherActor(tenure, ports, {
      ...{ arrivalPollMs: POLL_MS, arrivalsPerTurnMax: 2, mailboxLengthMax: 100, turnMessagesMax: 10 },
      ...{ reloadDelayMs: 1_000, dispatch: settings(), ...changes },
    });
    await time(0);
  }

  /** The books, with some of their methods replaced. */
  function wrapped(journal: Partial<Journal>): Journal {
    return {
      load: (arch) => books.load(arch),
      arrivals: (arch, limit) => books.arrivals(arch, limit),
      orders: (arch, limit) => books.orders(arch, limit),
      commit: (arch, epoch, writes) => books.commit(arch, epoch, writes),
      finishedAttempt: (runId) => books.finishedAttempt(runId),
      ...journal,
    };
  }

  const time = (ms: number) => clock.runUntil(clock.now() + ms);
  const accept = () => {
    const row = books.draw(request());
    row.committed = true;
    return row.runId;
  };
  const ask = (slot = 0) => actor.ask({ kind: 'lease', request: { ...SLOT, slot } });

  it('goes by a new configuration from its next turn on, and after it loaded again', async () => {
    let failures = 0;
    const commit: Journal['commit'] = (...args) =>
      failures-- > 0 ? Promise.reject(new Error('no')) : books.commit(...args);
    await start({ commit });
    const changed = {
      ...{ arrivalPollMs: 10, arrivalsPerTurnMax: 2, mailboxLengthMax: 1, turnMessagesMax: 10 },
      ...{ reloadDelayMs: 1_000, dispatch: settings({ askAgainMs: 77 }) },
    };
    actor.reconfigure(changed);
    const answered = ask();
    await expect(ask(1)).rejects.toThrow(MailboxFull);
    await time(0);
    expect((await answered).askAgainMs).toBe(77);
    const runId = accept();
    await time(10);
    expect(books.look(runId)?.takenIn).toBe(true);
    failures = 1;
    const again = ask();
    actor.reconfigure({ ...changed, dispatch: settings({ askAgainMs: 88 }) });
    await time(1_000);
    expect((await again).askAgainMs).toBe(88);
  });

  it('takes in what arrived, at a command at once and else at the next poll', async () => {
    await start();
    const [first, second] = [accept(), accept()];
    await time(POLL_MS - 1);
    expect(books.look(first)?.takenIn).toBe(false);
    actor.lookForArrivals();
    await time(0);
    expect(books.look(second)?.takenIn).toBe(true);
    const third = accept();
    await time(POLL_MS);
    expect(books.look(third)?.takenIn).toBe(true);
    expect(signalled).toHaveBeenCalledWith(ARCH);
  });

  it('takes in more than one turn allows, turn after turn', async () => {
    await start();
    const runs = Array.from({ length: 7 }, accept);
    actor.lookForArrivals();
    await time(0);
    expect(runs.filter((runId) => !books.look(runId)?.takenIn)).toEqual([]);
  });

  it('takes an order in at a command, and else at the next poll, and has the attempt stopped', async () => {
    const [first, second] = [accept(), accept()];
    await start();
    await Promise.all([ask(0), ask(1)]);
    books.cancel(first, 'ada');
    actor.lookForOrders();
    await time(0);
    expect(books.ordersWaiting).toEqual([]);
    const reason = 'the run was cancelled by ada';
    expect(stopSignalled.mock.calls).toEqual([[{ worker: 'w1', runId: first, attempt: 1, reason }]]);
    books.cancel(second, 'ada');
    await time(POLL_MS);
    expect(books.ordersWaiting).toEqual([]);
    expect(stopSignalled).toHaveBeenLastCalledWith(expect.objectContaining({ runId: second }));
  });

  it('stops nothing when the turn that took the order in was not committed, and takes it in later', async () => {
    accept();
    let failures = 1;
    await start({
      commit: (arch, epoch, writes) =>
        writes.some(({ kind }) => kind === 'order-taken') && failures-- > 0
          ? Promise.reject(new Error('away'))
          : books.commit(arch, epoch, writes),
    });
    await ask();
    books.cancel(1, 'ada');
    actor.lookForOrders();
    await time(0);
    expect([books.ordersWaiting, stopSignalled.mock.calls]).toEqual([[1], []]);
    await time(1_000);
    expect(books.ordersWaiting).toEqual([]);
    expect(stopSignalled).toHaveBeenCalledTimes(1);
  });

  it('grants the next run when the best one was cancelled without its knowledge', async () => {
    const [best, next] = [accept(), accept()];
    await start();
    books.cancel(best, 'ada');
    expect((await ask()).lease).toMatchObject({ runId: next, attempt: 1 });
    expect(books.look(best)?.attempt).toBe(0);
  });

  it('answers the report of a run that was cancelled without its knowledge, and loads again only once', async () => {
    accept();
    const load = jest.fn((arch: string) => books.load(arch));
    await start({ load });
    await ask();
    const report = finishedReport(1, 1);
    expect(await actor.ask({ kind: 'may-finish', report })).toBe('counts');
    books.cancel(1, 'ada');
    expect(await actor.ask({ kind: 'finished', report })).toBe('unknown');
    expect(await actor.ask({ kind: 'finished', report })).toBe('unknown');
    expect(load).toHaveBeenCalledTimes(2);
    expect(await books.finishedAttempt(1)).toBeNull();
  });

  it('commits the writes of all messages of a turn at once, before any is answered', async () => {
    const turns: Write[][] = [];
    let confirm = (): void => undefined;
    accept();
    accept();
    await start({
      commit: async (arch, epoch, writes) => {
        await books.commit(arch, epoch, writes);
        turns.push(writes);
        await new Promise<void>((resolve) => (confirm = resolve));
      },
    });
    confirm();
    await time(0);
    confirm();
    await time(0);
    const answered = jest.fn();
    const replies = Promise.all([ask(0), ask(1)]).then(answered);
    await time(0);
    expect(turns.at(-1)).toMatchObject([{ kind: 'grant' }, { kind: 'grant' }]);
    expect(answered).not.toHaveBeenCalled();
    confirm();
    await replies;
    expect(answered).toHaveBeenCalledWith([
      expect.objectContaining({ lease: expect.anything() }),
      expect.objectContaining({ lease: expect.anything() }),
    ]);
  });

  it('refuses the one message that the database refuses, and goes on with the others', async () => {
    const runs = [accept(), accept()];
    await start({
      commit: (arch, epoch, writes) =>
        writes.some(({ kind }) => kind === 'start')
          ? Promise.reject(new Error('refused'))
          : books.commit(arch, epoch, writes),
    });
    await Promise.all([ask(0), ask(1)]);
    const started = actor.ask({ kind: 'started', report: startedReport(runs[0] as number, 1) });
    const finished = actor.ask({ kind: 'finished', report: finishedReport(runs[0] as number, 1) });
    await expect(started).rejects.toThrow('refused');
    await expect(finished).resolves.toBe('counts');
    expect(books.look(runs[0] as number)?.state).toBe('finished');
    expect((await ask(1)).lease?.runId).toBe(runs[1]);
  });

  it('gives the slot its lease when a turn was committed but not confirmed', async () => {
    accept();
    let failures = 1;
    await start({
      commit: async (arch, epoch, writes) => {
        await books.commit(arch, epoch, writes);
        if (writes.some(({ kind }) => kind === 'grant') && failures-- > 0) throw new Error('connection lost');
      },
    });
    expect((await ask()).lease).toMatchObject({ runId: 1, attempt: 1 });
    expect(books.look(1)?.attempt).toBe(1);
  });

  it('refuses everything while the rows cannot be loaded, and goes on when they can', async () => {
    let isAway = true;
    accept();
    await start({ load: (arch) => (isAway ? Promise.reject(new Error('away')) : books.load(arch)) });
    const refused = expect(ask()).rejects.toThrow('cannot load');
    await time(1_000);
    await refused;
    isAway = false;
    await time(1_000);
    expect((await ask()).lease?.runId).toBe(1);
  });

  it('steps down when another epoch has begun', async () => {
    accept();
    await start();
    await books.release(ARCH, 's1');
    await books.claim(ARCH, 's2', TENURE_MS);
    await expect(ask()).rejects.toThrow(StaleEpoch);
    await time(0);
    expect(ended).toHaveBeenCalledTimes(1);
    await expect(ask()).rejects.toThrow(NotOwner);
    expect(books.look(1)?.attempt).toBe(0);
  });

  it('answers nothing that was committed after its tenure ended by its own clock', async () => {
    accept();
    await start({
      commit: async (arch, epoch, writes) => {
        await books.commit(arch, epoch, writes);
        if (writes.some(({ kind }) => kind === 'grant')) tenure.extendTo(clock.now());
      },
    });
    await expect(ask()).rejects.toThrow(NotOwner);
    await time(0);
    expect(ended).toHaveBeenCalledTimes(1);
  });

  it('has a bounded mailbox', async () => {
    await start({ load: () => new Promise(() => undefined) }, { mailboxLengthMax: 1 });
    const first = expect(ask(0)).rejects.toThrow(NotOwner);
    await expect(ask(1)).rejects.toThrow(MailboxFull);
    void actor.stop();
    await first;
    actor = { stop: () => Promise.resolve() } as unknown as DispatcherActor;
  });

  it('lets leases expire by itself, once the waiting reports were drained', async () => {
    accept();
    await start();
    await ask();
    await time(600_000);
    expect(books.look(1)?.state).toBe('leased');
    actor.setReportsDrained();
    await time(0);
    expect(books.look(1)?.attempts[0]?.outcome).toBe('expired');
  });

  it('remembers over a reload that the waiting reports were drained', async () => {
    accept();
    let failures = 1;
    await start({
      commit: (arch, epoch, writes) =>
        writes.some(({ kind }) => kind === 'grant') && failures-- > 0
          ? Promise.reject(new Error('away'))
          : books.commit(arch, epoch, writes),
    });
    actor.setReportsDrained();
    await time(0);
    await ask();
    await time(60_000);
    expect(books.look(1)?.attempts[0]?.outcome).toBe('expired');
  });
});

function fail(): never {
  throw new Error('the architecture could not be claimed');
}
