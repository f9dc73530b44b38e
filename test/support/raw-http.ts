import { connect } from 'node:net';
import { constants, gunzipSync } from 'node:zlib';
import { PATIENCE_MS } from './until';

export interface RawAnswer {
  /** null: the connection was closed without an answer. */
  status: number | null;
  /** The headers; their names are in lower case. */
  headers: Map<string, string>;
  body: string;
}

export interface RawOptions {
  /** The client closes its side, as after a crash; otherwise it leaves the connection open. */
  end?: boolean;
  /** Sends the bytes in two pieces, cut here. */
  cutAt?: number;
}

/**
 * Sends bytes as they are and reads until the server closes or has answered as a whole.
 * @throws when neither has happened in time: the connection hangs
 */
export function sendRaw(port: number, bytes: Buffer, options: RawOptions = {}): Promise<RawAnswer> {
  const { end = false, cutAt } = options;
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let received = Buffer.alloc(0);
    const finish = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(parse(received));
    };
    const timer = setTimeout(() => {
      socket.destroy();
      const request = bytes.subarray(0, 500).toString('latin1');
      reject(new Error(`no whole answer within ${PATIENCE_MS} ms to ${JSON.stringify(request)}`));
    }, PATIENCE_MS);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (isWhole(received, bytes)) finish();
    });
    // A refusal may come while the request is still being written: what was received counts.
    socket.on('error', finish);
    socket.on('close', finish);
    socket.on('connect', () => {
      if (cutAt !== undefined) socket.write(bytes.subarray(0, cutAt));
      socket.write(bytes.subarray(cutAt ?? 0));
      if (end) socket.end();
    });
  });
}

/** Whether the answer has its whole body, if its headers give the length. */
function isWhole(received: Buffer, request: Buffer): boolean {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const { headers, status } = parse(received.subarray(0, end));
  if (status === 100) return false;
  if (request.subarray(0, 5).toString() === 'HEAD ' || status === 304 || status === 204) return true;
  const length = headers.get('content-length');
  if (length !== undefined) return received.length >= end + 4 + Number(length);
  return received.toString('latin1').endsWith('0\r\n\r\n');
}

function parse(received: Buffer): RawAnswer {
  const text = received.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end < 0 ? undefined : end).split('\r\n');
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1];
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const map = new Map(headers);
  const body = end < 0 ? '' : decoded(received.subarray(end + 4), map);
  return { status: status === undefined ? null : Number(status), headers: map, body };
}

function decoded(body: Buffer, headers: Map<string, string>): string {
  const whole = headers.get('transfer-encoding') === 'chunked' ? joined(body) : body;
  if (headers.get('content-encoding') !== 'gzip' || whole.length === 0) return whole.toString('utf8');
  // Without its end, as while it is still being received.
  return gunzipSync(whole, { finishFlush: constants.Z_SYNC_FLUSH }).toString('utf8');
}

/** The pieces of a chunked body. */
function joined(body: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const line = body.indexOf('\r\n', at);
    const size = line < 0 ? 0 : parseInt(body.toString('latin1', at, line), 16);
    if (!size) break;
    pieces.push(body.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
  return Buffer.concat(pieces);
}
