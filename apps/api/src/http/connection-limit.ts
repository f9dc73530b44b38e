import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { networkOf } from './network-of';

export interface ConnectionLimits {
  connectionsMax: number;
  connectionsPerAddressMax: number;
}

const LOGGED_EVERY_MS = 60_000;

/**
 * Closes connections above the limits of a process and of a client's network, before anything is read from them. Each
 * connection needs a file descriptor, and without these the process can serve no client.
 * @param isProxy whether the address belongs to a proxy, which connects for many clients
 */
export function limitConnections(
  server: Server,
  { connectionsMax, connectionsPerAddressMax }: ConnectionLimits,
  isProxy: (address: string) => boolean,
  logger = new Logger('Connections'),
): void {
  /** Network → its open connections. */
  const counts = new Map<string, number>();
  let loggedAt = -Infinity;
  const refuse = (why: string): void => {
    const now = performance.now();
    if (now - loggedAt < LOGGED_EVERY_MS) return;
    loggedAt = now;
    logger.warn(`closed a new connection: ${why}; others within this minute are not logged`);
  };
  server.maxConnections = connectionsMax;
  server.on('drop', () => refuse(`there are ${connectionsMax} (api.connectionsMax)`));
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (isProxy(address)) return;
    const network = networkOf(address);
    const before = counts.get(network) ?? 0;
    if (before >= connectionsPerAddressMax) {
      refuse(`${network} has ${before} (api.connectionsPerAddressMax)`);
      socket.destroy();
      return;
    }
    counts.set(network, before + 1);
    socket.once('close', () => {
      const rest = (counts.get(network) ?? 0) - 1;
      if (rest > 0) counts.set(network, rest);
      else counts.delete(network);
    });
  });
}
