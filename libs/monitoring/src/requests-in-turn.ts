import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that wait behind another one of their connection. Programs that send more of them at once are none that we know. */
export const PIPELINED_MAX = 32;

interface Line {
  /** The latest of the connection. */
  response: ServerResponse;
  waiting: number;
}

const lines = new WeakMap<Socket, Line>();

/**
 * Has the requests of a connection answered one after the other. Node hands on all that were sent at once, thousands of them in one
 * turn of the event loop; and a response that still waits for the connection is never closed when that ends, so what is held until its
 * `close` would be held for ever.
 * @param answer called at once, or when the answer before it is complete; never for a connection that has ended, and for one
 *   with too many requests: that is closed
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
    // Others have a turn of the event loop between two of them.
    setImmediate(() => {
      line.waiting -= 1;
      if (response.socket !== null && !socket.destroyed) answer();
    });
  });
}
