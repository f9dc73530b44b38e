import type { Writable } from 'node:stream';

/** Bytes that may wait for a slow reader; further lines are dropped. */
const WAITING_BYTES_MAX = 1024 ** 2;

/**
 * Lets this process continue whatever happens to its output: a full disk, a terminal that is gone or was stopped with
 * Ctrl-S, a pipe without a reader. Lines that cannot be written are lost, and their number is written once lines can be
 * written again.
 * @param streams of this process; by default both
 */
export function surviveLostOutput(...streams: Writable[]): void {
  for (const stream of streams.length > 0 ? streams : [process.stdout, process.stderr]) surviveLossOf(stream);
}

function surviveLossOf(stream: Writable): void {
  let lostLines = 0;
  const write = stream.write.bind(stream) as (
    chunk: unknown,
    encoding: unknown,
    callback: (error?: Error | null) => void,
  ) => boolean;
  // Each lost line reports its error to the callback of its own write.
  stream.on('error', () => undefined);
  // Node.js blocks on a terminal that does not accept output, and does nothing else meanwhile.
  (stream as TerminalStream)._handle?.setBlocking?.(false);
  stream.write = (chunk: unknown, ...rest: unknown[]): boolean => {
    const encoding = typeof rest[0] === 'function' ? undefined : rest[0];
    const last = rest.at(-1);
    const callback = typeof last === 'function' ? (last as (error?: Error | null) => void) : () => undefined;
    if (stream.writableLength > WAITING_BYTES_MAX) {
      lostLines += 1;
      process.nextTick(callback);
      return false;
    }
    if (lostLines > 0 && stream.writableLength === 0) {
      const before = lostLines;
      lostLines = 0;
      write(noticeOf(before), undefined, (error) => (lostLines += error ? before : 0));
    }
    return write(chunk, encoding, (error) => {
      if (error) lostLines += 1;
      callback(error);
    });
  };
}

/** In the format of the other lines: an object where PROCTOR_LOG asks for JSON. */
function noticeOf(lostLines: number): string {
  const message = `${lostLines} lines could not be written here`;
  if (process.env['PROCTOR_LOG'] !== 'json') return `${message}\n`;
  const [level, context] = ['warn', 'Log'];
  return `${JSON.stringify({ level, pid: process.pid, timestamp: Date.now(), message, context })}\n`;
}

interface TerminalStream extends Writable {
  _handle?: { setBlocking?: (isBlocking: boolean) => void };
}
