import type { FileHandle } from 'node:fs/promises';
import type { WorkerConfiguration } from '@proctor/config';
import type { ErrorExcerpt } from '@proctor/contracts';
import {
  blockGzip,
  ERROR_PATTERNS,
  errorExpression,
  leftOutLine,
  LogIndexer,
  type LogIndex,
} from '@proctor/result-files';
import { openPlainFile } from './plain-file';
import { writeHashed, type WrittenFile } from './written-file';

export type LogLimits = Pick<WorkerConfiguration, 'logHeadBytesMax' | 'logTailBytesMax' | 'errorPatterns'>;

interface PackedLog extends WrittenFile {
  index: LogIndex;
  /** The lines around the first error of the log, shown if the attempt has failed; null without an error. */
  excerpt: ErrorExcerpt | null;
}

/**
 * Writes the log to `target`, gzipped in blocks, and builds its index. When a log is longer than both limits together,
 * its start (as it was streamed) and its end are kept, with a line between them that gives the missing length. A
 * missing log becomes `substitute`.
 */
export async function packLog(
  log: string,
  target: string,
  limits: LogLimits,
  substitute: string,
): Promise<PackedLog> {
  const file = await openPlainFile(log);
  try {
    const content = file ? pieces(file, (await file.stat()).size, limits) : substitutePieces(substitute);
    const indexer = new LogIndexer(errorExpression([...ERROR_PATTERNS, ...limits.errorPatterns]));
    const logFile = await writeHashed(
      target,
      blockGzip(content, (bytes, block) => indexer.add(bytes, block)),
    );
    const index = indexer.end();
    return { ...logFile, index, excerpt: indexer.excerpt() };
  } finally {
    await file?.close();
  }
}

async function* substitutePieces(text: string): AsyncGenerator<Buffer> {
  yield await Promise.resolve(Buffer.from(text));
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
  yield Buffer.from(`\n${leftOutLine(tailFrom - logHeadBytesMax)}\n`);
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
