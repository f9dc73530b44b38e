import { describe } from '@proctor/contracts';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Request } from 'express';
import { badRequest, bodyTooLarge, Problem } from './problem';

const DECODERS = new Map<string, () => Transform>([
  ['br', createBrotliDecompress],
  ['deflate', createInflate],
  ['gzip', createGunzip],
]);

/**
 * The whole body of a request, decompressed. Express's parser would refuse a body that is too large only once all of
 * it had come, and some never end.
 * @param limit bytes, of what comes and of what becomes of it; what is beyond is left unread
 * @throws Problem 413 as soon as there is more; 415 for a compression that is not known; 400 for a body that breaks off
 */
export async function bodyBytes(request: Request, limit: number): Promise<Buffer> {
  const decoder = decoderFor(request);
  if (request.destroyed) throw brokenOff();
  const source: Readable = decoder ? request.pipe(decoder) : request;
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      const whole = new Whole(decoder ? 0 : Number(request.headers['content-length'] ?? 0));
      const tooLarge = (): void => reject(bodyTooLarge(limit));
      source.on(
        'data',
        atMost(limit, (piece) => whole.add(piece), tooLarge),
      );
      source.once('end', () => resolve(whole.bytes));
      request.once('close', () => request.readableEnded || reject(brokenOff()));
      if (!decoder) return;
      // Much may come and become nothing at all.
      request.on(
        'data',
        atMost(limit, () => undefined, tooLarge),
      );
      decoder.on('error', ({ message }) => reject(badRequest(`The body cannot be read: ${message}.`)));
    });
  } finally {
    request.unpipe();
    request.removeAllListeners('data');
    decoder?.destroy();
  }
}

const ROOM_MIN = 64 * 1024;

/** Bytes that come in pieces. Each is copied when it comes: all at once would take as long as the body is large. */
class Whole {
  private room: Buffer;
  private length = 0;

  /** @param expected bytes; 0 when unknown */
  constructor(expected: number) {
    this.room = Buffer.allocUnsafeSlow(expected);
  }

  add(piece: Buffer): void {
    const needed = this.length + piece.length;
    if (needed > this.room.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.room.length, ROOM_MIN));
      this.room.copy(larger, 0, 0, this.length);
      this.room = larger;
    }
    piece.copy(this.room, this.length);
    this.length = needed;
  }

  get bytes(): Buffer {
    return this.room.subarray(0, this.length);
  }
}

function decoderFor(request: Request): Transform | null {
  const encoding = (request.get('Content-Encoding') ?? 'identity').toLowerCase();
  if (encoding === 'identity') return null;
  const makeDecoder = DECODERS.get(encoding);
  if (makeDecoder) return makeDecoder();
  throw new Problem(415, `The Content-Encoding ${describe(encoding)} of the body is not known.`);
}

function atMost(limit: number, use: (piece: Buffer) => void, refuse: () => void): (piece: Buffer) => void {
  let size = 0;
  return (piece) => {
    size += piece.length;
    if (size > limit) refuse();
    else use(piece);
  };
}

function brokenOff(): Problem {
  return badRequest('The body broke off.');
}
