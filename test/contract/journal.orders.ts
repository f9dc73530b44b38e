import type { LinePlace, Order, Write } from '@proctor/dispatch';
import {
  ARCH,
  finish,
  grant,
  HALF_LIFE_MS,
  type JournalFixture,
  Owner,
  request,
  requeue,
  start,
} from './journal.fixture';

/** How a journal keeps the orders that follow from what people do to runs. */
export function journalOrders(make: () => Promise<JournalFixture>): void {
  const owner = new Owner(make);

  describe('orders', () => {
    const orders = (limit = 10) => owner.books.journal.orders(ARCH, limit);
    /** Where a run is in line. */
    const placeOf = (runId: number | undefined, change: Partial<LinePlace> = {}) => {
      const { suite, backend, variant, isPrivate, priority } = request();
      const arrivedAt = expect.any(Number) as number;
      return { suite, backend, variant, isPrivate, priority, requestor: 'ada', arrivedAt, runId, ...change };
    };
    const ingestion = ({ orderId }: Order): Write => ({ kind: 'ingest-order', orderId });

    it('an order follows a cancellation: the run’s owner, the user who cancelled it, and the worker', async () => {
      const [waiting, leased] = await owner.books.submit([request(), request()]);
      await owner.commit(grant(leased!, 1));
      expect(await orders()).toEqual([]);
      await owner.books.cancel(waiting!, 'ada');
      await owner.books.cancel(leased!, 'ada');
      const order = { orderId: expect.any(Number), kind: 'cancel', by: 'ada' };
      expect(await orders()).toEqual([
        { ...order, runId: waiting, attempt: 0, grantEpoch: 0, worker: null, place: placeOf(waiting) },
        {
          ...order,
          runId: leased,
          attempt: 1,
          grantEpoch: owner.epoch,
          worker: 'w1',
          place: placeOf(leased),
        },
      ]);
    });

    it('orders are given until they are taken, and taking one twice does no harm', async () => {
      const ids = await owner.books.submit([request(), request({ arch: 'arm64' }), request()]);
      for (const runId of ids) await owner.books.cancel(runId, 'ada');
      const openOrders = await orders();
      expect(openOrders).toMatchObject([{ runId: ids[0] }, { runId: ids[2] }]);
      expect(await orders(1)).toEqual([openOrders[0]]);
      await owner.commit(ingestion(openOrders[0]!));
      await owner.commit(...openOrders.map(ingestion));
      expect(await orders()).toEqual([]);
    });

    it('after a cancellation nothing can be written about the run', async () => {
      const runId = await owner.accept();
      await owner.commit(grant(runId, 1));
      await owner.books.cancel(runId, 'ada');
      for (const write of [start(runId, 1), requeue(runId, 1), finish(runId, 1), grant(runId, 2)])
        expect(await owner.leftOut(write)).toEqual([write]);
      expect((await owner.books.journal.load(ARCH, HALF_LIFE_MS)).runs).toEqual([]);
      expect((await owner.books.journal.arrivals(ARCH, 10)).runs).toEqual([]);
      expect(await owner.books.journal.reportState({ runId, attempt: 1, worker: 'w1' })).toBe('over');
      expect(await owner.books.look(runId)).toMatchObject({
        state: 'finished',
        attempt: 1,
        verdict: 'tmpfail',
        message: 'cancelled by ada',
        version: 'n/a',
        worker: 'w1',
      });
    });

    it('an order follows a new priority of a waiting run, and of no other', async () => {
      const [waiting, leased] = (await owner.books.submit([request({ priority: 3 }), request()])) as [
        number,
        number,
      ];
      await owner.commit(grant(leased, 1));
      expect(await owner.books.reprioritise(waiting, 9, 'ada', 'urgent')).toBe(true);
      expect(await owner.books.reprioritise(waiting, 9, 'ada', 'urgent')).toBe(false);
      expect(await owner.books.reprioritise(leased, 9, 'ada', 'urgent')).toBe(false);
      const [order] = (await orders()) as [Order];
      expect(order).toEqual({
        orderId: expect.any(Number),
        kind: 'reprioritise',
        runId: waiting,
        priority: 9,
        place: placeOf(waiting, { priority: 9 }),
      });
      expect((await owner.books.journal.load(ARCH, HALF_LIFE_MS)).runs).toMatchObject([
        { runId: waiting, priority: 9 },
        { runId: leased, priority: 5 },
      ]);
      await owner.commit(ingestion(order));
      expect(await orders()).toEqual([]);
    });

    it('an order follows the publication of a run that has not finished', async () => {
      const [waiting, leased, endedRun, open] = (await owner.books.submit([
        ...[1, 2, 3].map(() => request({ isPrivate: true })),
        request(),
      ])) as [number, number, number, number];
      await owner.commit(grant(leased, 1), grant(endedRun, 1), finish(endedRun, 1));
      for (const runId of [waiting, leased, endedRun, open, waiting]) await owner.books.publish(runId);
      const order = { orderId: expect.any(Number), kind: 'publish' };
      const openOrders = await orders();
      expect(openOrders).toEqual([
        { ...order, runId: waiting, place: placeOf(waiting) },
        { ...order, runId: leased, place: placeOf(leased) },
      ]);
      const { runs } = await owner.load();
      expect(runs.map(({ runId, isPrivate }) => [runId, isPrivate])).toEqual(
        [waiting, leased, open].map((runId) => [runId, false]),
      );
      await owner.commit(...openOrders.map(ingestion));
      expect(await orders()).toEqual([]);
    });

    it('an order cannot be ingested for another architecture, or when it does not exist', async () => {
      const one = await owner.accept();
      const foreign = await owner.accept({ arch: 'arm64' });
      for (const runId of [one, foreign]) await owner.books.cancel(runId, 'ada');
      const [order] = (await owner.books.journal.orders(ARCH, 10)) as [Order];
      const [foreignOrder] = (await owner.books.journal.orders('arm64', 10)) as [Order];
      for (const orderId of [foreignOrder.orderId, 2_000_000_000]) {
        const wrong: Write = { kind: 'ingest-order', orderId };
        expect(await owner.leftOut(ingestion(order), wrong)).toEqual([wrong]);
      }
      expect(await owner.books.journal.orders(ARCH, 10)).toEqual([]);
      expect(await owner.books.journal.orders('arm64', 10)).toEqual([foreignOrder]);
    });
  });
}
