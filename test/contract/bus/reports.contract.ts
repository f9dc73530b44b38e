import { isDeepStrictEqual } from 'node:util';
import {
  NoAnswer,
  RetryLater,
  StreamFull,
  type Bus,
  type ReportHandler,
  type ReportMessage,
} from '@proctor/bus';
import { MalformedMessage, reportSender, reportSubject } from '@proctor/contracts';
import { Events } from './events';
import {
  drained,
  finishedOf,
  LIMITS,
  newScope,
  SHORT_ACK_WAIT,
  type BusServer,
  type StartServer,
} from './server';

const WORKERS = ['w1', 'w-2'];

/** A handler that does something at once. */
function doing(work: (report: ReportMessage) => void): ReportHandler {
  return (report) => Promise.resolve(report).then(work);
}

/** How every Bus carries reports. */
export function describeReports(name: string, start: StartServer): void {
  describe(`reports over ${name}`, () => {
    let server: BusServer;
    let bus: Bus;
    let other: Bus;
    let scope: string;
    const report = (number: number) => bus.report(finishedOf(scope, number), { number });

    beforeAll(async () => {
      server = await start(LIMITS);
      [bus, other] = [await server.connect(), await server.connect()];
    });
    beforeEach(async () => {
      scope = newScope();
      await bus.prepareReports(scope, WORKERS);
    });
    afterAll(() => server.close());

    it('reports are kept until they are consumed, then handed over in order', async () => {
      for (const number of [1, 2, 3]) await report(number);
      const arrivals = new Events<ReportMessage>();
      const consumption = await other.consumeReports(scope, doing(arrivals.push));
      for (const number of [1, 2, 3]) {
        expect(await arrivals.next()).toEqual({
          subject: finishedOf(scope, number),
          text: `{"number":${number}}`,
          redelivered: false,
        });
      }
      await drained(bus, scope);
      await consumption.stop();
    });

    it('a report whose handler rejected is delivered again, and counts as waiting before it is handled', async () => {
      await report(1);
      const redeliveries: boolean[] = [];
      const waiting = { arch: scope, worker: 'w1', kind: 'finished', runId: 1, attempt: 1 };
      const consumption = await other.consumeReports(scope, async ({ redelivered }) => {
        if (isDeepStrictEqual(await bus.listWaitingReports(scope), [waiting])) redeliveries.push(redelivered);
        if (redeliveries.length < 3) throw new Error('not yet');
      });
      await drained(bus, scope);
      expect(redeliveries).toEqual([false, true, true]);
      await consumption.stop();
    });

    it('a report that was handled or malformed never comes back', async () => {
      await report(1);
      await report(2);
      const first = await other.consumeReports(
        scope,
        doing(({ text }) => {
          if (text.includes('1')) throw new MalformedMessage('not like that');
        }),
      );
      await drained(bus, scope);
      await first.stop();

      await report(3);
      const arrivals: string[] = [];
      const second = await other.consumeReports(
        scope,
        doing(({ text }) => void arrivals.push(text)),
      );
      await drained(bus, scope);
      expect(arrivals).toEqual(['{"number":3}']);
      await second.stop();
    });

    it('a report that its handler refuses for ever is ended', async () => {
      await report(1);
      await report(2);
      const texts: string[] = [];
      const consumption = await other.consumeReports(
        scope,
        doing(({ text }) => {
          texts.push(text);
          if (text.includes('1')) throw new Error('no, never');
        }),
      );
      await drained(bus, scope);
      expect(texts.filter((text) => text.includes('1'))).toHaveLength(LIMITS.reportFailuresMax ?? NaN);
      expect(texts.filter((text) => text.includes('2'))).toHaveLength(1);
      await consumption.stop();
    });

    it('a report is kept for as long as its handler says "not now"', async () => {
      await report(1);
      let deliveries = 0;
      const consumption = await other.consumeReports(
        scope,
        doing(() => {
          if (++deliveries <= 2 * (LIMITS.reportFailuresMax ?? NaN))
            throw new RetryLater('the database is away');
        }),
      );
      await drained(bus, scope);
      expect(deliveries).toBe(2 * (LIMITS.reportFailuresMax ?? NaN) + 1);
      await consumption.stop();
    });

    it('the reports that wait are listed, of each architecture its own', async () => {
      expect(await other.listWaitingReports(scope)).toEqual([]);
      const neighbour = newScope();
      await bus.prepareReports(neighbour, WORKERS);
      await bus.report(finishedOf(neighbour, 3), {});
      await report(1);
      await bus.report(reportSubject(scope, 'started', { worker: 'w-2', runId: 2, attempt: 3 }), {});
      const waiting = await other.listWaitingReports(scope);
      expect(waiting.sort((a, b) => a.runId - b.runId)).toEqual([
        { arch: scope, worker: 'w1', kind: 'finished', runId: 1, attempt: 1 },
        { arch: scope, worker: 'w-2', kind: 'started', runId: 2, attempt: 3 },
      ]);
      expect(await other.listWaitingReports(newScope())).toEqual([]);
    });

    it('a report is held once, however often its worker repeats it, and taken again once it is gone', async () => {
      for (let count = 0; count < 3; count++) await report(1);
      const arrivals = new Events<ReportMessage>();
      const consumption = await other.consumeReports(scope, doing(arrivals.push));
      await arrivals.next();
      await drained(bus, scope);
      expect(arrivals.unread).toBe(0);
      await report(1);
      expect(await arrivals.next()).toMatchObject({ redelivered: false });
      await consumption.stop();
    });

    it('the room of each worker and each architecture is kept from the reports of others', async () => {
      const filler = { filler: 'x'.repeat(Math.ceil(LIMITS.reportsBytesMax! / 5)) };
      for (const number of [1, 2, 3, 4]) await bus.report(finishedOf(scope, number), filler);
      await expect(bus.report(finishedOf(scope, 5), filler)).rejects.toThrow(StreamFull);
      // One that waits already is there: its worker need not keep on asking.
      await bus.report(finishedOf(scope, 4), filler);
      await bus.report(reportSubject(scope, 'finished', { worker: 'w-2', runId: 5, attempt: 1 }), filler);
      const neighbour = newScope();
      await bus.prepareReports(neighbour, WORKERS);
      await bus.report(finishedOf(neighbour, 5), filler);
    });

    it('as many reports of a worker are held as the limit allows, however short they are', async () => {
      for (let number = 1; number <= LIMITS.reportsMax!; number++) await report(number);
      await expect(report(LIMITS.reportsMax! + 1)).rejects.toThrow(StreamFull);
      await report(1);
    });

    it('reports of a worker, and to an architecture, that no scheduler has prepared are refused', async () => {
      await expect(bus.report(finishedOf(newScope(), 1), {})).rejects.toThrow(NoAnswer);
      const stranger = { worker: 'stranger', runId: 1, attempt: 1 };
      await expect(bus.report(reportSubject(scope, 'finished', stranger), {})).rejects.toThrow(NoAnswer);
    });

    it('the report of a worker is handed over while all that another may have unsettled is in hand', async () => {
      const starts = new Events<string>();
      let goOn = (): void => undefined;
      const gate = new Promise<void>((resolve) => (goOn = resolve));
      for (let number = 1; number <= 2 * LIMITS.reportsPendingMax!; number++) await report(number);
      const consumption = await other.consumeReports(scope, async ({ subject }) => {
        starts.push(subject);
        if (reportSender(subject) === 'w1') await gate;
      });
      for (let count = 0; count < LIMITS.reportsPendingMax!; count++)
        expect(reportSender(await starts.next())).toBe('w1');
      const waiting = reportSubject(scope, 'finished', { worker: 'w-2', runId: 1, attempt: 1 });
      await bus.report(waiting, {});
      expect(await starts.next()).toBe(waiting);
      goOn();
      await drained(bus, scope);
      await consumption.stop();
    });

    it('several reports are handed over at a time, as many as the limit allows', async () => {
      const starts = new Events<string>();
      let goOn = (): void => undefined;
      const gate = new Promise<void>((resolve) => (goOn = resolve));
      for (const number of [1, 2, 3]) await report(number);
      const consumption = await other.consumeReports(scope, async ({ subject }) => {
        starts.push(subject);
        await gate;
      });
      for (const number of [1, 2]) expect(await starts.next()).toBe(finishedOf(scope, number));
      const ofAnother = [1, 2].map((runId) =>
        reportSubject(scope, 'finished', { worker: 'w-2', runId, attempt: 1 }),
      );
      for (const subject of ofAnother) await bus.report(subject, {});
      expect(await starts.next()).toBe(ofAnother[0]);
      await other.flush();
      expect(starts.unread).toBe(0);
      goOn();
      const last = [await starts.next(), await starts.next()];
      expect(last.sort()).toEqual([finishedOf(scope, 3), ofAnother[1]].sort());
      await drained(bus, scope);
      await consumption.stop();
    });

    describe('silent consumers', () => {
      let impatient: BusServer;
      let first: Bus;
      let second: Bus;

      beforeAll(async () => {
        impatient = await start(SHORT_ACK_WAIT);
        [first, second] = [await impatient.connect(), await impatient.connect()];
      });
      beforeEach(() => first.prepareReports(scope, WORKERS));
      afterAll(() => impatient.close());
      const reportFirst = (number: number) => first.report(finishedOf(scope, number), { number });

      it('a consumer that is stopped waits for the handlers in flight, and leaves the rest for the next', async () => {
        const reports = WORKERS.flatMap((worker) =>
          [1, 2, 3].map((runId) => reportSubject(scope, 'finished', { worker, runId, attempt: 1 })),
        );
        for (const subject of reports) await first.report(subject, {});
        let goOn = (): void => undefined;
        const gate = new Promise<void>((resolve) => (goOn = resolve));
        const starts = new Events<string>();
        const ends: string[] = [];
        const consumption = await first.consumeReports(scope, async ({ subject }) => {
          starts.push(subject);
          await gate;
          ends.push(subject);
        });
        for (let count = 0; count < 3; count++) await starts.next();
        const stopped = consumption.stop();
        goOn();
        await stopped;
        expect(ends).toHaveLength(3);

        const rest: string[] = [];
        const next = await second.consumeReports(
          scope,
          doing(({ subject }) => void rest.push(subject)),
        );
        await drained(first, scope);
        expect([...ends, ...rest].sort()).toEqual(reports.sort());
        await next.stop();
      });

      it('a report is kept from others for as long as its handler works', async () => {
        const again = new Events<ReportMessage>();
        await reportFirst(1);
        const slowly = (SHORT_ACK_WAIT.reportAckWaitMs ?? 0) * 2.5;
        const holding = await first.consumeReports(scope, async (report) => {
          again.push(report);
          await new Promise((resolve) => setTimeout(resolve, slowly));
        });
        const waiting = await second.consumeReports(scope, doing(again.push));
        await drained(first, scope);
        await again.next();
        expect(again.unread).toBe(0);
        await Promise.all([holding.stop(), waiting.stop()]);
      });

      it('the reports that a dead consumer had in hand are given to another', async () => {
        const doomed = await impatient.connect();
        const handledReports = new Events<ReportMessage>();
        await reportFirst(1);
        const dead = await doomed.consumeReports(scope, (report) => {
          handledReports.push(report);
          return new Promise(() => undefined);
        });
        await handledReports.next();
        await impatient.kill(doomed);
        const arrivals = new Events<ReportMessage>();
        const consumption = await second.consumeReports(scope, doing(arrivals.push));
        expect(await arrivals.next()).toEqual({
          subject: finishedOf(scope, 1),
          text: '{"number":1}',
          redelivered: true,
        });
        await drained(first, scope);
        await Promise.all([consumption.stop(), dead.stop()]);
      });
    });
  });
}
