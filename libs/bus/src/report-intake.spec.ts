import { Logger } from '@nestjs/common';
import { MalformedMessage } from '@proctor/contracts';
import fc from 'fast-check';
import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { silenceLog } from '@test/support/silent-log';
import { BUS_LIMITS } from './limits';
import { IN_VAIN, RetryLater } from './bus';
import { ReportIntake, type Delivery } from './report-intake';

silenceLog();

/** Records what is said about it. */
class FakeDelivery implements Delivery {
  constructor(
    readonly text: string,
    readonly deliveries = 1,
    readonly sequence = 1,
    readonly subject = 'proctor.report.amd64.w1.finished.1.1',
  ) {}

  readonly said: string[] = [];

  acknowledge = () => void this.said.push('acknowledge');
  refuse = (delayMs: number) => void this.said.push(`refuse ${delayMs}`);
  end = () => void this.said.push('end');
  stillWorking = () => void this.said.push('working');
}

let clock: VirtualClock;
beforeEach(() => (clock = new VirtualClock()));

it('a delivery is kept alive while its handler works, and no longer', async () => {
  const delivery = new FakeDelivery('{}');
  let finish = (): void => undefined;
  const intake = new ReportIntake(
    () => new Promise<void>((resolve) => (finish = resolve)),
    BUS_LIMITS,
    clock,
  );
  intake.receive(delivery);
  await clock.runUntil(BUS_LIMITS.reportAckWaitMs);
  expect(delivery.said).toEqual(['working', 'working', 'working']);
  finish();
  await clock.runUntil(10 * BUS_LIMITS.reportAckWaitMs);
  expect(delivery.said).toEqual(['working', 'working', 'working', 'acknowledge']);
});

it('deliveries that wait for their turn are kept alive too', async () => {
  const limits = { ...BUS_LIMITS, reportsInFlightMax: 1 };
  const starts: string[] = [];
  const handler = ({ text }: { text: string }) => {
    starts.push(text);
    return new Promise<void>(() => undefined);
  };
  const intake = new ReportIntake(handler, limits, clock);
  const deliveries = [new FakeDelivery('1'), new FakeDelivery('2')];
  for (const delivery of deliveries) intake.receive(delivery);
  await clock.runUntil(limits.reportAckWaitMs / 2);
  expect(starts).toEqual(['1']);
  expect(deliveries.map(({ said }) => said)).toEqual([['working'], ['working']]);
});

it.each([
  [1, 1000],
  [2, 2000],
  [5, 16_000],
  [6, 30_000],
  [5000, 30_000],
])('delivery %i is refused for %i ms when its handler fails', async (deliveries, delayMs) => {
  const delivery = new FakeDelivery('{}', deliveries);
  const intake = new ReportIntake(() => Promise.reject(new Error('no')), BUS_LIMITS, clock);
  intake.receive(delivery);
  await clock.runUntil(1);
  expect(delivery.said).toEqual([`refuse ${delayMs}`]);
});

describe('refused reports', () => {
  const refusals: string[] = [];
  let refusal: () => Promise<void>;
  beforeEach(() => {
    refusals.length = 0;
    refusal = () => Promise.resolve();
  });

  const take = async (error: Error, deliveries: number) => {
    const intake = new ReportIntake(
      () => Promise.reject(error),
      BUS_LIMITS,
      clock,
      (_report, reason) => (refusals.push(reason), refusal()),
    );
    const answersOfAll: string[][] = [];
    for (let delivery = 1; delivery <= deliveries; delivery++) {
      const fake = new FakeDelivery('{}', delivery);
      intake.receive(fake);
      await clock.runUntil(clock.now() + 1);
      answersOfAll.push(fake.said);
    }
    return answersOfAll;
  };

  it('a malformed report is answered, and ends then', async () => {
    expect(await take(new MalformedMessage('verdict: no such'), 1)).toEqual([['end']]);
    expect(refusals).toEqual(['it is malformed: verdict: no such']);
  });

  it('a report whose handler fails again and again is answered, and ends then', async () => {
    const answers = await take(new Error('no such column'), BUS_LIMITS.reportFailuresMax);
    expect(answers.at(-1)).toEqual(['end']);
    expect(refusals).toEqual(['it failed 10 times: Error: no such column']);
  });

  it('a report that cannot be handled stays until it could be answered', async () => {
    let failures = 2;
    refusal = () =>
      failures-- > 0 ? Promise.reject(new RetryLater('the database is away')) : Promise.resolve();
    const answers = await take(new MalformedMessage('no'), 3);
    expect(answers).toEqual([['refuse 1000'], ['refuse 2000'], ['end']]);
  });
});

it('an intake that stops gives back at once what was not begun, and gives up on a handler that hangs', async () => {
  const limits = { ...BUS_LIMITS, reportsInFlightMax: 1 };
  const intake = new ReportIntake(() => new Promise(() => undefined), limits, clock);
  const [hanging, waiting, late] = [new FakeDelivery('1'), new FakeDelivery('2'), new FakeDelivery('3')];
  intake.receive(hanging);
  intake.receive(waiting);
  const stopped = intake.stop();
  intake.receive(late);
  expect(waiting.said).toEqual(['refuse 0']);
  expect(late.said).toEqual(['refuse 0']);
  await clock.runUntil(limits.drainTimeoutMs);
  await stopped;
  const saidBefore = [...hanging.said];
  await clock.runUntil(100_000);
  expect(hanging.said).toEqual(saidBefore);
});

describe('waiting reports', () => {
  let failure: Error | null;
  let intake: ReportIntake;
  beforeEach(() => {
    failure = new RetryLater('the store is away');
    intake = new ReportIntake(
      () => (failure ? Promise.reject(failure) : Promise.resolve()),
      BUS_LIMITS,
      clock,
    );
  });

  const take = async (sequence: number, deliveries = 1, text = '{}') => {
    const delivery = new FakeDelivery(text, deliveries, sequence);
    intake.receive(delivery);
    await clock.runUntil(clock.now() + 1);
    return delivery.said;
  };

  it('reports that have to wait are logged once, now and then while that lasts, and when it is over', async () => {
    const lines: string[] = [];
    const log = (line: unknown) => void lines.push(String(line));
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(log);
    jest.spyOn(Logger.prototype, 'log').mockImplementation(log);
    const newLines = () => lines.splice(0).map((line) => line.replace('finished reports of amd64: ', ''));
    for (let sequence = 1; sequence <= 100; sequence++) await take(sequence, 1, String(sequence));
    expect(newLines()).toEqual(['not now, it is tried again: the store is away']);
    await clock.runUntil(600_000);
    for (let sequence = 1; sequence <= 3; sequence++) await take(sequence, 2, String(sequence));
    expect(newLines()).toEqual(['not now, it is tried again (101 times so far): the store is away']);
    failure = null;
    for (let sequence = 1; sequence <= 3; sequence++) await take(sequence, 3, String(sequence));
    expect(newLines()).toEqual(['done again, after 103 failures']);
    jest.restoreAllMocks();
  });
});

it('reports begin in order, each is settled exactly once, and never are more in hand than the limit allows', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({ takesMs: fc.nat(50), outcome: fc.constantFrom('acknowledge', 'refuse 1000', 'end') }),
      ),
      fc.integer({ min: 1, max: 5 }),
      async (plans, reportsInFlightMax) => {
        const time = new VirtualClock();
        const starts: number[] = [];
        let [inFlight, most] = [0, 0];
        const handler = async ({ text }: { text: string }) => {
          const plan = plans[Number(text)]!;
          starts.push(Number(text));
          most = Math.max(most, ++inFlight);
          await new Promise<void>((resolve) => void time.after(plan.takesMs, resolve));
          inFlight--;
          if (plan.outcome === 'end') throw new MalformedMessage('no');
          if (plan.outcome !== 'acknowledge') throw new Error('no');
        };
        const intake = new ReportIntake(
          handler,
          { ...BUS_LIMITS, reportsInFlightMax, reportsPendingMax: plans.length },
          time,
        );
        const deliveries = plans.map((_plan, index) => new FakeDelivery(String(index)));
        for (const delivery of deliveries) intake.receive(delivery);
        await time.runUntil(3000);
        expect(starts).toEqual(plans.map((_plan, index) => index));
        expect(deliveries.map(({ said }) => said)).toEqual(plans.map(({ outcome }) => [outcome]));
        expect(most).toBeLessThanOrEqual(reportsInFlightMax);
      },
    ),
    { numRuns: 50 },
  );
});

describe('reports in vain', () => {
  const limits = { ...BUS_LIMITS, reportsInVainMax: 2, reportsInVainMs: 1000 };
  let handled: string[];
  let intake: ReportIntake;
  beforeEach(() => {
    handled = [];
    intake = new ReportIntake(
      ({ text }) => {
        handled.push(text);
        if (text === 'odd') return Promise.reject(new MalformedMessage('odd'));
        return Promise.resolve(text === 'counts' ? undefined : IN_VAIN);
      },
      limits,
      clock,
    );
  });

  async function answersTo(
    text: string,
    worker = 'w1',
    subject = `proctor.report.amd64.${worker}.finished.1.1`,
  ) {
    const delivery = new FakeDelivery(text, 1, 1, subject);
    intake.receive(delivery);
    await clock.runUntil(clock.now() + 1);
    return delivery.said;
  }

  it('a worker whose reports change nothing is no longer read until its time is over', async () => {
    for (const text of ['counts', 'vain', 'odd']) await answersTo(text);
    expect(await answersTo('counts')).toEqual(['refuse 998']);
    expect(await answersTo('vain', 'w1', 'proctor.report.amd64.w1.x')).toEqual(['refuse 997']);
    expect(await answersTo('of w2', 'w2')).toEqual(['acknowledge']);
    await clock.runUntil(1_001);
    expect(await answersTo('counts')).toEqual(['acknowledge']);
    expect(handled).toEqual(['counts', 'vain', 'odd', 'of w2', 'counts']);
  });

  it('a worker is read on while as many of its reports count as change nothing', async () => {
    for (const text of ['vain', 'counts', 'vain', 'counts', 'vain'])
      expect(await answersTo(text)).toEqual(['acknowledge']);
  });
});

it('an intake takes only as many reports of a worker as it may have unsettled, whatever the server brings', async () => {
  const limits = { ...BUS_LIMITS, reportsPendingMax: 2 };
  const handled: string[] = [];
  let goOn = (): void => undefined;
  const gate = new Promise<void>((resolve) => (goOn = resolve));
  const intake = new ReportIntake(({ text }) => gate.then(() => void handled.push(text)), limits, clock);
  const take = (text: string, worker = 'w1') => {
    const delivery = new FakeDelivery(text, 1, 1, `proctor.report.amd64.${worker}.finished.1.1`);
    intake.receive(delivery);
    return delivery;
  };
  const [, , surplus] = ['1', '2', '3'].map((text) => take(text));
  expect(surplus?.said).toEqual([`refuse ${limits.redeliveryDelayMaxMs}`]);
  take('of w2', 'w2');
  goOn();
  await clock.runUntil(clock.now() + 1);
  take('4');
  await clock.runUntil(clock.now() + 1);
  expect(handled).toEqual(['1', '2', 'of w2', '4']);
});
