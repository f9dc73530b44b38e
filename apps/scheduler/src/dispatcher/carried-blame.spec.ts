import type { LeaseReply, LeaseRequest, Verdict } from '@proctor/contracts';
import type { Write } from '@proctor/dispatch';
import { ActorRig } from '@test/support/actor-rig';
import { runRequest } from '@test/support/run-request';
import { ARCH, finishedReport, leaseRequest } from '@test/support/runs';
import { silenceLog } from '@test/support/silent-log';

const TESTBEDS = [{ suite: 'bookworm', backend: 'unshare', state: 'ready' as const }];

/** The fate of a commit that fails. */
type Fate = 'refused' | 'not confirmed';

silenceLog();

/** An actor with one worker, on books whose commits fail. */
class CarriedBlameRig extends ActorRig {
  /** The fates of the next commits. */
  fates: Fate[] = [];
  /** The run that a user cancels while the next commit about it is on its way. */
  cancelled: number | null = null;
  loads = 0;

  begin(): Promise<void> {
    return this.start({
      load: (...args) => {
        this.loads += 1;
        return this.books.load(...args);
      },
      commit: (arch, epoch, writes) => this.commit(arch, epoch, writes),
    });
  }

  /** Nothing else waits for the worker. */
  async arrive(name: string, changes = {}): Promise<number> {
    const row = this.books.draw(runRequest({ package: name, ...changes }));
    row.committed = true;
    await this.settled(() => Promise.resolve(this.actor.readArrivalsSoon()));
    return row.runId;
  }

  slotAsks(changes: Partial<LeaseRequest> = {}): Promise<LeaseReply> {
    const request = leaseRequest({ testbeds: TESTBEDS, ...changes });
    return this.settled(() => this.actor.request({ kind: 'lease', request }));
  }

  report(runId: number, attempt: number, verdict: Verdict, changes = {}): Promise<unknown> {
    const report = finishedReport(runId, attempt, { verdict, message: 'the testbed failed', ...changes });
    return this.settled(() => this.actor.request({ kind: 'finished', report }));
  }

  /** The worker is granted a new run of this package, which ends so. Answers its id. */
  async execute(name: string, verdict: Verdict): Promise<number> {
    const runId = await this.arrive(name);
    const { lease } = await this.slotAsks();
    expect(lease?.runId).toBe(runId);
    await this.report(runId, 1, verdict);
    return runId;
  }

  /** A turn fails that only ingests an order, about an unknown worker. */
  async loadAgain(): Promise<void> {
    const { loads } = this;
    this.fates = ['refused'];
    this.books.decisions.trust([ARCH], 'w9', 'ada', null);
    await this.settled(() => Promise.resolve(this.actor.readOrdersSoon()));
    expect(this.loads).toBe(loads + 1);
  }

  async standing(): Promise<string | undefined> {
    return (await this.actor.request({ kind: 'status' })).workers?.[0]?.standing;
  }

  /** How often the package of the run failed where others had results, as people see it. */
  async occasions(runId: number): Promise<string | undefined> {
    const { reasons } = await this.actor.request({ kind: 'explain', runId });
    return reasons.map((reason) => /its package failed (\S+)/.exec(reason)?.[1]).find(Boolean);
  }

  private async settled<T>(action: () => Promise<T>): Promise<T> {
    const answer = action();
    await this.time(0);
    return answer;
  }

  private commit(arch: string, epoch: number, writes: Write[]): Promise<Write[]> {
    const runIds = writes.flatMap((write) => ('runId' in write ? [write.runId] : []));
    const fate = this.fates.shift();
    const loss = Promise.reject(new Error('the connection was lost'));
    loss.catch(() => undefined);
    if (fate === 'refused') return loss;
    if (this.cancelled !== null && runIds.includes(this.cancelled)) this.books.cancel(this.cancelled, 'ada');
    const committed = this.books.commit(arch, epoch, writes);
    return fate ? loss : committed;
  }
}

describe('carried blame', () => {
  let bench: CarriedBlameRig;

  beforeEach(() => {
    bench = new CarriedBlameRig();
    return bench.begin();
  });
  afterEach(() => bench.end());

  describe('another load', () => {
    it('a worker’s failures in a row still count after the dispatcher loads again', async () => {
      await bench.execute('one', 'tmpfail');
      await bench.execute('two', 'tmpfail');
      await bench.loadAgain();
      await bench.execute('three', 'tmpfail');
      expect(await bench.standing()).toBe('slowed');
    });

    it('the suspicion of a package remains when the dispatcher loads again', async () => {
      const runId = await bench.execute('bad', 'tmpfail');
      await bench.execute('good', 'pass');
      await bench.loadAgain();
      expect(await bench.occasions(runId)).toBe('once');
    });

    it('the turn of suspects at a worker stays used up when the dispatcher loads again', async () => {
      const first = await bench.execute('bad', 'tmpfail');
      await bench.execute('good', 'pass');
      await bench.time(30_000);
      expect((await bench.slotAsks()).lease?.runId).toBe(first);
      await bench.loadAgain();
      await bench.arrive('bad', { priority: 9 });
      const next = await bench.arrive('other');
      expect((await bench.slotAsks({ slot: 1 })).lease?.runId).toBe(next);
    });

    it('a grant that was not written does not use up the turn of suspects at a worker', async () => {
      const first = await bench.execute('bad', 'tmpfail');
      await bench.execute('good', 'pass');
      await bench.time(30_000);
      bench.fates = ['refused', 'refused'];
      await expect(bench.slotAsks()).rejects.toThrow('the connection was lost');
      expect((await bench.slotAsks({ worker: 'w2' })).lease?.runId).toBe(first);
      const next = await bench.arrive('bad', { priority: 9 });
      await bench.arrive('other');
      expect((await bench.slotAsks()).lease?.runId).toBe(next);
    });

    it('the time that a slowed worker has waited still counts after the dispatcher loads again', async () => {
      for (const name of ['one', 'two', 'three']) await bench.execute(name, 'tmpfail');
      const runId = await bench.arrive('four');
      await bench.time(4_000);
      await bench.loadAgain();
      await bench.time(1_000);
      expect((await bench.slotAsks()).lease?.runId).toBe(runId);
    });

    it.each<Fate>(['refused', 'not confirmed'])('a failure whose turn was %s counts once', async (fate) => {
      for (const name of ['one', 'two']) {
        const runId = await bench.arrive(name);
        await bench.slotAsks();
        bench.fates = [fate];
        await bench.report(runId, 1, 'tmpfail');
        expect(bench.books.look(runId)?.attempts).toMatchObject([{ outcome: 'failed' }]);
      }
      expect(await bench.standing()).toBe('sound');
      await bench.execute('three', 'tmpfail');
      expect(await bench.standing()).toBe('slowed');
    });

    it.each<Fate>(['refused', 'not confirmed'])(
      'a failure and a result whose turn was %s count as one occasion',
      async (fate) => {
        const [bad, good] = [await bench.arrive('bad'), await bench.arrive('good')];
        await bench.slotAsks();
        await bench.slotAsks({ slot: 1 });
        bench.fates = [fate];
        await Promise.all([bench.report(bad, 1, 'tmpfail'), bench.report(good, 1, 'pass')]);
        expect(await bench.occasions(bad)).toBe('once');
      },
    );

    it('a lease that has not expired in the rows is not held against its worker', async () => {
      bench.actor.setReportsWaiting([]);
      const runId = await bench.arrive('one');
      await bench.slotAsks();
      await bench.time(59_000);
      bench.fates = ['refused'];
      await bench.time(1_000);
      expect(bench.loads).toBe(2);
      await bench.report(runId, 1, 'pass');
      expect(await bench.standing()).toBe('sound');
      await bench.execute('one', 'tmpfail');
      const other = await bench.execute('one', 'tmpfail');
      await bench.execute('two', 'pass');
      expect(await bench.occasions(other)).toBe('2');
    });

    it('a grant that was not written does not use up a slowed worker’s turn', async () => {
      for (const name of ['one', 'two', 'three']) await bench.execute(name, 'tmpfail');
      await bench.slotAsks();
      await bench.time(5_000);
      const runId = await bench.arrive('four');
      bench.fates = ['refused'];
      expect((await bench.slotAsks({ slot: 1 })).lease?.runId).toBe(runId);
    });

    it('the grant of a run that has finished counts as a slowed worker’s turn', async () => {
      for (const name of ['one', 'two', 'three']) await bench.execute(name, 'tmpfail');
      await bench.slotAsks();
      await bench.time(5_000);
      const runId = await bench.arrive('four');
      await bench.arrive('five');
      expect((await bench.slotAsks({ slot: 1 })).lease?.runId).toBe(runId);
      await bench.report(runId, 1, 'tmpfail', { slot: 1, trouble: 'request' });
      expect(bench.books.look(runId)?.state).toBe('finished');
      await bench.loadAgain();
      expect((await bench.slotAsks({ slot: 1 })).lease).toBeNull();
    });

    it('a canary test keeps its id when the dispatcher loads again, and the next one gets another', async () => {
      for (const name of ['one', 'two', 'three']) await bench.execute(name, 'tmpfail');
      const { canary: first } = await bench.slotAsks();
      await bench.loadAgain();
      expect((await bench.slotAsks()).canary).toEqual(first);
      const message = 'no space left';
      await bench.slotAsks({ canary: { canary: first!.canary, passed: false, message } });
      await bench.loadAgain();
      await bench.time(60_000);
      const { canary: second } = await bench.slotAsks();
      expect(second).toMatchObject({ suite: 'bookworm' });
      expect(second?.canary).not.toBe(first?.canary);
    });

    it.each([
      [true, 'sound'],
      [false, 'slowed'],
    ])('a canary test whose turn was not written still counts (passed: %s)', async (passed, standing) => {
      for (const name of ['one', 'two', 'three']) await bench.execute(name, 'tmpfail');
      const { canary } = await bench.slotAsks();
      bench.fates = ['refused'];
      const message = 'no space left';
      await bench.slotAsks({ canary: { canary: canary!.canary, passed, message } });
      expect(bench.loads).toBe(2);
      expect(await bench.standing()).toBe(standing);
      const { workers } = await bench.actor.request({ kind: 'status' });
      expect(workers[0]?.reason).toBe(passed ? undefined : `the canary test failed: ${message}`);
    });
  });

  describe('a refused write of a cancelled run', () => {
    it('a slowed worker keeps its turn when the run that it would get was cancelled', async () => {
      for (const name of ['one', 'two', 'three']) await bench.execute(name, 'tmpfail');
      await bench.slotAsks();
      await bench.time(5_000);
      bench.cancelled = await bench.arrive('four', { priority: 9 });
      const next = await bench.arrive('five');
      expect((await bench.slotAsks({ slot: 1 })).lease?.runId).toBe(next);
      expect(bench.loads).toBe(1);
    });

    it('the failure of a cancelled run is held against no package', async () => {
      await bench.execute('one', 'tmpfail');
      const cancelled = await bench.arrive('bad');
      const waiting = await bench.arrive('bad', { suite: 'sid' });
      await bench.slotAsks();
      bench.cancelled = cancelled;
      expect(await bench.report(cancelled, 1, 'tmpfail')).toBe('unknown');
      bench.cancelled = null;
      await bench.execute('three', 'tmpfail');
      expect(await bench.standing()).toBe('sound');
      await bench.execute('four', 'pass');
      expect(await bench.occasions(waiting)).toBeUndefined();
    });

    it.each([
      ['after it', false],
      ['in it, too', true],
    ])(
      'the failure of a cancelled run in an unconfirmed turn is held against no package, with a result %s',
      async (_, isInIt) => {
        await bench.execute('one', 'tmpfail');
        const cancelled = await bench.arrive('bad');
        const good = await bench.arrive('good');
        const waiting = await bench.arrive('bad', { suite: 'sid' });
        await bench.slotAsks();
        await bench.slotAsks({ slot: 1 });
        bench.cancelled = cancelled;
        const passes = () => bench.report(good, 1, 'pass', { slot: 1 });
        bench.fates = ['not confirmed'];
        const lateReport = bench.report(cancelled, 1, 'tmpfail');
        const passed = isInIt ? passes() : undefined;
        expect(await lateReport).toBe('unknown');
        expect(bench.loads).toBe(2);
        bench.cancelled = null;
        await bench.execute('three', 'tmpfail');
        expect(await bench.standing()).toBe('sound');
        await (passed ?? passes());
        expect(await bench.occasions(waiting)).toBeUndefined();
      },
    );
  });
});
