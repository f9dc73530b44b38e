import { MemoryBroker, MemoryBus, NoAnswer } from '@proctor/bus';
import type { Bus } from '@proctor/bus';
import { Logger } from '@nestjs/common';
import type { Clock } from '@proctor/clock';
import { DispatcherClient } from './dispatcher-client';

class ManualClock implements Clock {
  readonly waiting: (() => void)[] = [];
  now = (): number => 0;
  after(_ms: number, action: () => void): () => void {
    this.waiting.push(action);
    return () => void this.waiting.splice(this.waiting.indexOf(action), 1);
  }
}

describe('DispatcherClient', () => {
  beforeAll(() => Logger.overrideLogger(false));

  it('serves without a bus, and finds it later', async () => {
    const clock = new ManualClock();
    const connect = jest.fn((): Promise<Bus> => Promise.resolve(new MemoryBus(new MemoryBroker())));
    connect.mockRejectedValueOnce(new Error('refused'));
    const line = new DispatcherClient(connect, clock);
    line.onApplicationBootstrap();
    await new Promise(setImmediate);
    line.signal('proctor.command.amd64.runs-submitted', {});
    await expect(line.request('proctor.query.amd64.status', {}, 1)).rejects.toBeInstanceOf(NoAnswer);
    expect(line.isConnected()).toBe(false);

    clock.waiting.splice(0).forEach((action) => action());
    await new Promise(setImmediate);
    expect(line.isConnected()).toBe(true);
    await line.onApplicationShutdown();
    expect(line.isConnected()).toBe(false);
  });

  it('hears what it was told to listen to, before and after it is open', async () => {
    const broker = new MemoryBroker();
    const line = new DispatcherClient(() => Promise.resolve(new MemoryBus(broker)), new ManualClock());
    const heard: string[] = [];
    line.listen('early', () => heard.push('early'));
    line.onApplicationBootstrap();
    await new Promise(setImmediate);
    line.listen('late', () => heard.push('late'));
    const other = new MemoryBus(broker);
    other.signal('early', {});
    other.signal('late', {});
    await new Promise(setImmediate);
    expect(heard).toEqual(['early', 'late']);
    await line.onApplicationShutdown();
  });

  it('does not try again once it is closed', async () => {
    const clock = new ManualClock();
    const line = new DispatcherClient(() => Promise.reject(new Error('refused')), clock);
    line.onApplicationBootstrap();
    await new Promise(setImmediate);
    expect(clock.waiting).toHaveLength(1);
    await line.onApplicationShutdown();
    expect(clock.waiting).toHaveLength(0);
  });
});
