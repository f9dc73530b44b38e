import { createWriteStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { openPlainFile } from './plain-file';

/** Of a log that is too long, the end is as often what people look for as the beginning, and shorter. */
const TAIL_SHARE = 1 / 4;

/**
 * Writes the log, gzipped, to `target`. One longer than `bytesMax` keeps so much of its beginning, as it was streamed, and
 * a quarter as much of its end, with a line between them that says how much is missing. A missing log becomes
 * `substitute`.
 */
export async function packLog(
  log: string,
  target: string,
  bytesMax: number,
  substitute: string,
): Promise<void> {
  const file = await openPlainFile(log);
  try {
    const content = file ? pieces(file, (await file.stat()).size, bytesMax) : [Buffer.from(substitute)];
    await pipeline(Readable.from(content), createGzip(), createWriteStream(target, { mode: 0o600 }));
  } finally {
    await file?.close();
  }
}

async function* pieces(file: FileHandle, size: number, bytesMax: number): AsyncGenerator<Buffer> {
  const tailFrom = size - Math.floor(bytesMax * TAIL_SHARE);
  if (tailFrom <= bytesMax) {
    yield* range(file, 0, size);
    return;
  }
  yield* range(file, 0, bytesMax);
  yield Buffer.from(`\n[${tailFrom - bytesMax} bytes of the log are left out here]\n`);
  yield* range(file, tailFrom, size);
}

async function* range(file: FileHandle, from: number, to: number): AsyncGenerator<Buffer> {
  for (let at = from; at < to;) {
    const length = Math.min(256 * 1024, to - at);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}
