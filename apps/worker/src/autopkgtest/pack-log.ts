import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { WorkerConfiguration } from '@proctor/config';
import { openPlainFile } from './plain-file';
import { writeWhole, type WrittenFile } from './written-file';

export type LogLimits = Pick<WorkerConfiguration, 'logHeadBytesMax' | 'logTailBytesMax'>;

/**
 * Writes the log, gzipped, to `target`. One longer than both limits together keeps so much of its beginning, as it was
 * streamed, and of its end, with a line between them that says how much is missing. A missing log becomes `substitute`.
 */
export async function packLog(
  log: string,
  target: string,
  limits: LogLimits,
  substitute: string,
): Promise<WrittenFile> {
  const file = await openPlainFile(log);
  try {
    const content = file ? pieces(file, (await file.stat()).size, limits) : [Buffer.from(substitute)];
    const gzip = createGzip();
    const [written] = await Promise.all([writeWhole(target, gzip), pipeline(Readable.from(content), gzip)]);
    return written;
  } finally {
    await file?.close();
  }
}

async function* pieces(
  file: FileHandle,
  size: number,
  { logHeadBytesMax, logTailBytesMax }: LogLimits,
): AsyncGenerator<Buffer> {
  const tailFrom = size - logTailBytesMax;
  if (tailFrom <= logHeadBytesMax) {
    yield* range(file, 0, size);
    return;
  }
  yield* range(file, 0, logHeadBytesMax);
  yield Buffer.from(`\n[${tailFrom - logHeadBytesMax} bytes of the log are left out here]\n`);
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
