import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait behind another one of their connection. No known program sends more of them at once. */
export const PIPELINED_MAX = 32;

interface Line {
  /** The latest response of the connection. */
  response: ServerResponse;
  waiting: number;
}

const lines = new WeakMap<Socket, Line>();

/**
 * Answers the requests of a connection one after the other. Node passes on all that were sent at once, thousands of
 * them in one turn of the event loop; and a response that still waits is never closed when the connection ends, so what
 * is held until its `close` would be held for ever.
 * @param answer called at once, or when the answer before it is complete; never for a connection that has ended; a
 * connection with too many requests is closed
 */
export function inTurn(request: IncomingMessage, response: ServerResponse, answer: () => void): void {
  const { socket } = request;
  if (socket.destroyed) return;
  const line = lines.get(socket);
  if (response.socket !== null || !line) {
    lines.set(socket, { response, waiting: line?.waiting ?? 0 });
    answer();
    return;
  }
  if (line.waiting >= PIPELINED_MAX) {
    socket.destroy();
    return;
  }
  line.waiting += 1;
  const before = line.response;
  line.response = response;
  before.once('close', () => {
    // Between two of them others get a turn of the event loop.
    setImmediate(() => {
      line.waiting -= 1;
      if (response.socket !== null && !socket.destroyed) answer();
    });
  });
}
