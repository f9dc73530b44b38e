import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { HeldConnections } from './held-connections';
import { Problem } from './problem';

const BOUNDS = { connectionsMax: 3, connectionsPerAddressMax: 2 };

function connection(
  connections: HeldConnections,
  ip: string,
  key?: { keyId: number; max: number },
): EventEmitter {
  const response = new EventEmitter();
  connections.add({ ip } as Request, response as unknown as Response, 'logs', BOUNDS, key);
  return response;
}

/** Status and sentence. */
function refusal(action: () => unknown): unknown[] {
  try {
    action();
  } catch (error) {
    if (error instanceof Problem) return [error.status, error.detail];
    throw error;
  }
  throw new Error('it was not refused');
}

it('one address has its own bound, so that it cannot take the places of all', () => {
  const connections = new HeldConnections();
  const first = connection(connections, '192.0.2.1');
  connection(connections, '192.0.2.1');
  expect(refusal(() => connection(connections, '192.0.2.1'))).toEqual([
    429,
    'There are 2 connections of this address that follow logs.',
  ]);
  connection(connections, '198.51.100.1');
  expect(refusal(() => connection(connections, '203.0.113.1'))).toEqual([
    503,
    'There are 3 connections of all clients together that follow logs.',
  ]);
  first.emit('close');
  connection(connections, '203.0.113.1');
});

it('a key has its own bound, and a connection that was refused takes no place', () => {
  const connections = new HeldConnections();
  const key = { keyId: 7, max: 1 };
  const first = connection(connections, '192.0.2.1', key);
  expect(refusal(() => connection(connections, '198.51.100.1', key))).toEqual([
    429,
    'There are 1 connections of this key that follow logs.',
  ]);
  first.emit('close');
  connection(connections, '198.51.100.1', key);
  connection(connections, '198.51.100.1');
});
