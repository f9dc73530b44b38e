import type { Server } from 'node:http';

interface Timeouts {
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  socketIdleMs: number;
}

/** Clients that send one byte now and then, or nothing, or do not read, give their connections back. */
export function setTimeouts(
  server: Server,
  { headersTimeoutMs, requestTimeoutMs, socketIdleMs }: Timeouts,
): void {
  server.headersTimeout = headersTimeoutMs;
  server.requestTimeout = requestTimeoutMs;
  server.timeout = socketIdleMs;
}
