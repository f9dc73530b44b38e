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
  if (request.destroyed) throw incompleteBody();
  const source: Readable = decoder ? request.pipe(decoder) : request;
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      const body = new GrowingBuffer(decoder ? 0 : Number(request.headers['content-length'] ?? 0));
      const tooLarge = (): void => reject(bodyTooLarge(limit));
      source.on(
        'data',
        atMost(limit, (piece) => body.add(piece), tooLarge),
      );
      source.once('end', () => resolve(body.bytes));
      request.once('close', () => request.readableEnded || reject(incompleteBody()));
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

const CAPACITY_MIN = 64 * 1024;

/** A buffer that grows. Each piece is copied when it arrives: one copy at the end would block the process too long. */
class GrowingBuffer {
  private buffer: Buffer;
  private length = 0;

  /** @param expected the number of bytes; 0 if unknown */
  constructor(expected: number) {
    this.buffer = Buffer.allocUnsafeSlow(expected);
  }

  add(piece: Buffer): void {
    const needed = this.length + piece.length;
    if (needed > this.buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.buffer.length, CAPACITY_MIN));
      this.buffer.copy(larger, 0, 0, this.length);
      this.buffer = larger;
    }
    piece.copy(this.buffer, this.length);
    this.length = needed;
  }

  get bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }
}

function decoderFor(request: Request): Transform | null {
  const encoding = (request.get('Content-Encoding') ?? 'identity').toLowerCase();
  if (encoding === 'identity') return null;
  const createDecoder = DECODERS.get(encoding);
  if (createDecoder) return createDecoder();
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

function incompleteBody(): Problem {
  return badRequest('The body is incomplete.');
}
