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
 * Reads and decompresses the whole body of a request. Express's parser refuses a body that is too large only after all of
 * it has arrived, and some bodies never end.
 * @param limit bytes, both as received and after decompression; the rest is not read
 * @throws Problem 413 as soon as the limit is exceeded; 415 for an unknown compression; 400 for an incomplete body
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
      // The received bytes have the same limit: many of them may decompress to nothing.
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

/** A buffer that grows. Each piece is copied when it arrives: one copy at the end would block the process too long. */
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
  return badRequest('The body is incomplete.');
}
