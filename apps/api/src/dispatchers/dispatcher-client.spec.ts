import { NoAnswer } from '@proctor/bus';
import { MemoryBroker, MemoryBus } from '@test/support/memory-bus';
import type { Bus } from '@proctor/bus';
import { Logger } from '@nestjs/common';
import type { Clock } from '@proctor/clock';
import { DispatcherClient } from './dispatcher-client';

class HeldClock implements Clock {
  readonly waiting: (() => void)[] = [];
  now = (): number => 0;
  after(_ms: number, action: () => void): () => void {
    this.waiting.push(action);
    return () => void this.waiting.splice(this.waiting.indexOf(action), 1);
  }
}

describe('DispatcherClient', () => {
  beforeAll(() => Logger.overrideLogger(false));

  it('the api works without a bus, and finds it later', async () => {
    const clock = new HeldClock();
    const connect = jest.fn((): Promise<Bus> => Promise.resolve(new MemoryBus(new MemoryBroker())));
    connect.mockRejectedValueOnce(new Error('refused'));
    const client = new DispatcherClient(connect, clock);
    client.onApplicationBootstrap();
    await new Promise(setImmediate);
    client.signal('proctor.command.amd64.runs-submitted', {});
    await expect(client.request('proctor.query.amd64.status', {}, 1)).rejects.toBeInstanceOf(NoAnswer);
    expect(client.isConnected()).toBe(false);

    clock.waiting.splice(0).forEach((action) => action());
    await new Promise(setImmediate);
    expect(client.isConnected()).toBe(true);
    await client.onApplicationShutdown();
    expect(client.isConnected()).toBe(false);
  });

  it('the api receives the signals that it listens to, from before and after it is connected', async () => {
    const broker = new MemoryBroker();
    const client = new DispatcherClient(() => Promise.resolve(new MemoryBus(broker)), new HeldClock());
    const received: string[] = [];
    client.listen('early', () => received.push('early'));
    client.onApplicationBootstrap();
    await new Promise(setImmediate);
    client.listen('late', () => received.push('late'));
    const other = new MemoryBus(broker);
    other.signal('early', {});
    other.signal('late', {});
    await new Promise(setImmediate);
    expect(received).toEqual(['early', 'late']);
    await client.onApplicationShutdown();
  });

  it('a client of the dispatchers does not try again once it is closed', async () => {
    const clock = new HeldClock();
    const client = new DispatcherClient(() => Promise.reject(new Error('refused')), clock);
    client.onApplicationBootstrap();
    await new Promise(setImmediate);
    expect(clock.waiting).toHaveLength(1);
    await client.onApplicationShutdown();
    expect(clock.waiting).toHaveLength(0);
  });
});
