import { EventEmitter } from 'node:events';
import type { Response } from 'express';
import { ManualClock } from '@test/support/manual-clock';
import { silenceLog } from '@test/support/silent-log';
import { HeldConnections } from '../http/held-connections';
import type { ContextRequest } from '../http/request-context';
import { HeldReaders } from './held-readers';

silenceLog();

const BOUNDS = { connectionsMax: 10, connectionsPerAddressMax: 10 };

function rig() {
  const clock = new ManualClock();
  const connections = new HeldConnections();
  const validRequests = new Set<ContextRequest>();
  const state = { isAway: false, signal: (): void => undefined };
  const isStillReader = jest.fn((request: ContextRequest) =>
    state.isAway
      ? Promise.reject(new Error('the database is away'))
      : Promise.resolve(validRequests.has(request)),
  );
  const readers = new HeldReaders(
    connections,
    { isStillReader },
    { onChange: (received) => void (state.signal = received) },
    clock,
  );
  readers.onApplicationBootstrap();
  const follow = () => {
    const request = { ip: '192.0.2.1' } as ContextRequest;
    const response = new EventEmitter();
    const destroy = jest.fn(() => response.emit('close'));
    connections.add(request, Object.assign(response, { destroy }) as unknown as Response, 'events', BOUNDS);
    validRequests.add(request);
    return { destroy, forget: () => validRequests.delete(request) };
  };
  return { clock, state, readers, isStillReader, follow };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('a reader who may no longer read is cut off at the signal, and the others stay', async () => {
  const { state, follow } = rig();
  const [revoked, valid] = [follow(), follow()];
  revoked.forget();
  state.signal();
  await settled();
  expect([revoked.destroy.mock.calls.length, valid.destroy.mock.calls.length]).toEqual([1, 0]);
});

it('a key that expires is found without a signal', async () => {
  const { clock, follow } = rig();
  const expired = follow();
  expired.forget();
  clock.advance(15_000);
  await settled();
  expect(expired.destroy).toHaveBeenCalledTimes(1);
});

it('while rights cannot be checked no reader is cut off, and the next check does it', async () => {
  const { clock, state, follow } = rig();
  const revoked = follow();
  revoked.forget();
  state.isAway = true;
  state.signal();
  await settled();
  expect(revoked.destroy).not.toHaveBeenCalled();
  state.isAway = false;
  clock.advance(15_000);
  await settled();
  expect(revoked.destroy).toHaveBeenCalledTimes(1);
});

it('a closed connection is not checked again, and none is when the process ends', async () => {
  const { clock, readers, isStillReader, follow } = rig();
  follow().destroy();
  clock.advance(15_000);
  await settled();
  expect(isStillReader).not.toHaveBeenCalled();
  follow();
  readers.beforeApplicationShutdown();
  clock.advance(60_000);
  await settled();
  expect(isStillReader).not.toHaveBeenCalled();
});
