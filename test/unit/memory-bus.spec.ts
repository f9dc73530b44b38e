import { Logger } from '@nestjs/common';
import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { NoAnswer } from '@libs/bus/src/bus';
import { BUS_LIMITS } from '@libs/bus/src/limits';
import { MemoryBroker, type Fate, type Travelling } from '@test/support/memory-bus/memory-broker';
import { MemoryBus } from '@test/support/memory-bus/memory-bus';

Logger.overrideLogger(false);

const REPORT = 'proctor.report.amd64.w1.finished.1.1';
const STATUS = 'proctor.query.amd64.status';

let clock: VirtualClock;
/** The fates of the next messages of a kind; the others are delivered. */
let fates: Partial<Record<Travelling['kind'], Fate[]>>;
let client: MemoryBus;
let server: MemoryBus;

beforeEach(() => {
  clock = new VirtualClock();
  fates = {};
  const broker = new MemoryBroker({ clock, deliver: ({ kind }) => fates[kind]?.shift() ?? 'deliver' });
  [client, server] = [new MemoryBus(broker), new MemoryBus(broker)];
  broker.reports.prepare('amd64', ['w1']);
});

/** The handlings of one report, as `redelivered`, until all has settled. */
async function handlings(): Promise<boolean[]> {
  const redeliveries: boolean[] = [];
  await server.consumeReports('amd64', ({ redelivered }) =>
    Promise.resolve(void redeliveries.push(redelivered)),
  );
  await clock.runUntil(5 * BUS_LIMITS.reportAckWaitMs);
  return redeliveries;
}

describe('reports', () => {
  it('a report that is lost on its way is the sender’s to send again', async () => {
    fates.report = ['drop'];
    await expect(client.report(REPORT, {})).rejects.toThrow(NoAnswer);
    expect(await handlings()).toEqual([]);
  });

  it('a report that arrives again while it is in hand is handled once, and again after that', async () => {
    fates.report = ['twice', { delayMs: 1000 }];
    await client.report(REPORT, {});
    const reported = client.report(REPORT, {});
    const consumed = handlings();
    await Promise.all([reported, consumed]);
    expect(await consumed).toEqual([false, false]);
  });

  it('a report whose delivery is lost is delivered again', async () => {
    fates.delivery = ['drop'];
    await client.report(REPORT, {});
    expect(await handlings()).toEqual([true]);
  });

  it('a report that is delivered twice is handled twice', async () => {
    fates.delivery = ['twice'];
    await client.report(REPORT, {});
    expect(await handlings()).toEqual([false, false]);
  });

  it('a report whose acknowledgement is lost is handled again', async () => {
    fates.acknowledgement = ['drop'];
    await client.report(REPORT, {});
    expect(await handlings()).toEqual([false, true]);
  });

  it('a report that is late comes late', async () => {
    fates.report = [{ delayMs: 1000 }];
    const reported = client.report(REPORT, {});
    const consumed = handlings();
    await Promise.all([reported, consumed]);
    expect(await consumed).toEqual([false]);
  });
});

describe('requests', () => {
  const ask = async (): Promise<unknown> => {
    const asking = client.request(STATUS, {}, 1000).catch((error: unknown) => error);
    await clock.runUntil(clock.now() + 2000);
    return asking;
  };
  let handled: number;

  beforeEach(() => {
    handled = 0;
    server.subscribe(STATUS, ({ respond }) => respond?.(JSON.stringify({ handled: ++handled })));
  });

  it('a request that is lost has no answer', async () => {
    fates.request = ['drop'];
    expect(await ask()).toBeInstanceOf(NoAnswer);
    expect(handled).toBe(0);
  });

  it('a request whose answer is lost was handled all the same', async () => {
    fates.answer = ['drop'];
    expect(await ask()).toBeInstanceOf(NoAnswer);
    expect(handled).toBe(1);
  });

  it('a request that arrives twice is answered with the first answer', async () => {
    fates.request = ['twice'];
    expect(await ask()).toEqual({ handled: 1 });
    expect(handled).toBe(2);
  });

  it('a request that comes when the asker no longer waits has no answer', async () => {
    fates.request = [{ delayMs: 1500 }];
    expect(await ask()).toBeInstanceOf(NoAnswer);
    expect(handled).toBe(1);
  });

  it('a request to a server without a connection has no answer', async () => {
    server.disconnect();
    expect(await ask()).toBeInstanceOf(NoAnswer);
    server.reconnect();
    expect(await ask()).toEqual({ handled: 1 });
  });
});

it('an answer is lost when its sender has lost the connection meanwhile', async () => {
  server.subscribe(STATUS, (message) => {
    server.disconnect();
    message.respond?.('{}');
  });
  const asking = client.request(STATUS, {}, 1000).catch((error: unknown) => error);
  await clock.runUntil(2000);
  expect(await asking).toBeInstanceOf(NoAnswer);
});

it('a client says that it is disconnected, and when it is back', async () => {
  const back = jest.fn();
  client.onReconnect(back);
  client.disconnect();
  expect(client.isConnected()).toBe(false);
  await expect(client.report(REPORT, {})).rejects.toThrow(NoAnswer);
  await expect(client.request(STATUS, {}, 1000)).rejects.toThrow(NoAnswer);
  client.signal(STATUS, {});
  expect(back).not.toHaveBeenCalled();
  client.reconnect();
  expect(back).toHaveBeenCalledTimes(1);
});
