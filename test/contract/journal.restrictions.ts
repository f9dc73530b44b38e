import type { WorkerStanding } from '@proctor/contracts';
import type { Order, Write } from '@proctor/dispatch';
import { ARCH, HALF_LIFE_MS, type JournalFixture, Owner } from './journal.fixture';

/** How a dispatcher reads from a journal what users have paused and drained. */
export function journalRestrictions(make: () => Promise<JournalFixture>): void {
  const owner = new Owner(make);

  beforeEach(async () => {
    await owner.books.takeOver('arm64');
  });

  const everything = { arch: null, suite: null };
  const restrictions = () => owner.books.journal.restrictions(ARCH);
  const by = (reason: string) => ({ by: 'ada', reason, since: expect.stringMatching(/^\d{4}-.*T.*Z$/) });
  const orders = (arch: string) => owner.books.journal.orders(arch, 10);

  describe('decisions', () => {
    it('no decision is there at first', async () => {
      expect(await restrictions()).toEqual({ pauses: [], drains: [] });
    });

    it('a decision is read with who, why and since when, the oldest first, and loaded as well', async () => {
      await owner.books.pause({ arch: ARCH, suite: 'trixie' }, 'the image is broken');
      await owner.books.pause({ arch: null, suite: 'sid' }, 'the mirror is away');
      await owner.books.drain('w7', 'new disks');
      const expected = {
        pauses: [
          { suite: 'trixie', ...by('the image is broken') },
          { suite: 'sid', ...by('the mirror is away') },
        ],
        drains: [{ worker: 'w7', ...by('new disks') }],
      };
      expect(await restrictions()).toEqual(expected);
      expect((await owner.books.journal.load(ARCH, HALF_LIFE_MS)).restrictions).toEqual(expected);
    });

    it('a decision keeps to the architecture', async () => {
      await owner.books.pause({ arch: 'arm64', suite: null }, 'too hot');
      expect(await restrictions()).toEqual({ pauses: [], drains: [] });
      expect(await owner.books.journal.restrictions('arm64')).toMatchObject({
        pauses: [{ suite: null, reason: 'too hot' }],
      });
    });

    it('a decision is there once for each scope: a second pause of it replaces the first', async () => {
      await owner.books.pause(everything, 'first');
      await owner.books.pause(everything, 'second');
      await owner.books.pause({ arch: ARCH, suite: null }, 'third');
      await owner.books.drain('w1', 'first');
      await owner.books.drain('w1', 'second');
      expect(await restrictions()).toMatchObject({
        pauses: [
          { suite: null, reason: 'second' },
          { suite: null, reason: 'third' },
        ],
        drains: [{ worker: 'w1', reason: 'second' }],
      });
    });

    it('a decision ends for exactly the scope that is resumed, once', async () => {
      await owner.books.pause(everything, 'first');
      await owner.books.pause({ arch: ARCH, suite: 'sid' }, 'second');
      await owner.books.drain('w1', 'new disks');
      expect(await owner.books.resume({ arch: ARCH, suite: null })).toBe(false);
      expect(await owner.books.resume({ arch: null, suite: 'sid' })).toBe(false);
      expect(await owner.books.resume(everything)).toBe(true);
      expect(await owner.books.resume(everything)).toBe(false);
      expect(await owner.books.undrain('w2')).toBe(false);
      expect(await owner.books.undrain('w1')).toBe(true);
      expect(await owner.books.undrain('w1')).toBe(false);
      expect(await restrictions()).toMatchObject({ pauses: [{ suite: 'sid' }], drains: [] });
    });
  });

  describe('workers', () => {
    const register: Order = { kind: 'register', orderId: expect.any(Number) as number };
    const revoke = (worker: string, reason: string | null): Order => {
      return { kind: 'revoke', orderId: expect.any(Number) as number, worker, by: 'ada', reason };
    };

    it('the register of workers is read as a whole, by name, and loaded as well', async () => {
      expect(await owner.books.journal.workers()).toEqual([]);
      await owner.books.addWorker('w2', [ARCH, 'arm64'], true);
      await owner.books.addWorker('w1', ['i386'], false);
      await owner.books.addWorker('w3', [ARCH], false);
      await owner.books.revokeWorker('w3', null);
      const expected = [
        { worker: 'w1', architectures: ['i386'], mayRunPrivate: false, isRevoked: false },
        { worker: 'w2', architectures: [ARCH, 'arm64'], mayRunPrivate: true, isRevoked: false },
        { worker: 'w3', architectures: [ARCH], mayRunPrivate: false, isRevoked: true },
      ];
      expect(await owner.books.journal.workers()).toEqual(expected);
      expect((await owner.load()).workers).toEqual(expected);
    });

    it('a change of the register of workers is an order to every dispatcher; a revoked worker is named, with user and reason', async () => {
      await owner.books.addWorker('w1', [ARCH, 'i386'], true);
      await owner.books.revokeWorker('w1', 'sold');
      await owner.books.addWorker('w1', [ARCH], true);
      await owner.books.revokeWorker('w1', null);
      const all = [register, revoke('w1', 'sold'), register, revoke('w1', null)];
      for (const arch of [ARCH, 'arm64']) expect(await orders(arch)).toEqual(all);
      expect(await orders('i386')).toEqual([register, revoke('w1', 'sold')]);
    });
  });

  it('trust in a worker is an order to the dispatchers that think otherwise, who it is by and why', async () => {
    const judge = (worker: string, standing: WorkerStanding): Write => {
      return { kind: 'judge-worker', worker, standing, reason: 'three failures' };
    };
    await owner.commit(judge('w1', 'quarantined'), judge('w2', 'slowed'), judge('w3', 'sound'));
    await owner.commit(judge('w2', 'sound'));
    for (const worker of ['w1', 'w2', 'w3', 'w4']) await owner.books.trust(worker, 'a new disk');
    const order = {
      kind: 'trust',
      orderId: expect.any(Number) as number,
      worker: 'w1',
      by: 'ada',
    } as const;
    expect(await orders(ARCH)).toEqual([{ ...order, reason: 'a new disk' }]);
    expect(await orders('arm64')).toEqual([]);
    await owner.books.trust('w1', null);
    expect(await orders(ARCH)).toEqual([
      { ...order, reason: 'a new disk' },
      { ...order, reason: null },
    ]);
  });

  describe('changes', () => {
    const order: Order = { kind: 'restrictions', orderId: expect.any(Number) as number };

    it('a decision is an order to every dispatcher that it concerns, until that one has taken it', async () => {
      await owner.books.pause({ arch: ARCH, suite: 'sid' }, 'first');
      expect(await orders(ARCH)).toEqual([order]);
      expect(await orders('arm64')).toEqual([]);
      await owner.books.pause({ arch: null, suite: 'sid' }, 'second');
      await owner.books.drain('w1', 'new disks');
      expect(await orders(ARCH)).toEqual([order, order, order]);
      expect(await orders('arm64')).toEqual([order, order]);
      const ingestions = (await orders(ARCH)).map(({ orderId }): Write => ({
        kind: 'ingest-order',
        orderId,
      }));
      await owner.books.journal.commit(ARCH, owner.epoch, ingestions);
      expect(await orders(ARCH)).toEqual([]);
      expect(await orders('arm64')).toHaveLength(2);
    });

    it('the end of a decision is an order, too, and there is none when nothing ended', async () => {
      await owner.books.resume(everything);
      await owner.books.undrain('w1');
      expect(await orders(ARCH)).toEqual([]);
      await owner.books.pause(everything, 'first');
      await owner.books.drain('w1', 'new disks');
      await owner.books.resume(everything);
      await owner.books.undrain('w1');
      expect(await orders('arm64')).toEqual([order, order, order, order]);
    });
  });
}
