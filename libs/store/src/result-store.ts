import type { OnApplicationShutdown } from '@nestjs/common';
import type { Readable } from 'node:stream';
import type { ResultFileName } from '@proctor/contracts';

/** What came is not what was announced; nothing of it is kept. */
export class StoreMismatch extends Error {}

/** The store is out of reach, is full or refuses us. The same call may succeed later. */
export class StoreUnavailable extends Error {
  /** @param store e.g. `the folder /srv/store`; people read it in the log */
  constructor(store: string, cause: unknown) {
    super(`${store} is not available: ${reasonOf(cause)}`, { cause });
  }
}

/** The errors of S3 servers say what they mean by their name, those of a refused connection by their code alone. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const name = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
  const isSaid = name === Error.name || cause.message.includes(name);
  return isSaid ? cause.message : `${name} ${cause.message}`.trim();
}

export interface ExpectedContent {
  /** Bytes. */
  size: number;
  /** Lower-case hex. */
  sha256: string;
}

/** Bytes `start` to `end`, both included and both within the file; 0 is the first. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface StoredFile {
  /** Bytes of the whole file. */
  size: number;
  modified: Date;
  /** The file, or the range of it: read it or destroy it. Fails with StoreUnavailable when it breaks off. */
  content: Readable;
}

/** Keeps the result files of finished attempts; an injection token too. */
export abstract class ResultStore implements OnApplicationShutdown {
  /**
   * Keeps a file, in place of an earlier one. It is there as a whole, durably, or not at all.
   * @throws StoreMismatch when size or checksum differ; StoreUnavailable; what the content throws
   */
  abstract put(
    runId: number,
    attempt: number,
    name: ResultFileName,
    content: Readable,
    expected: ExpectedContent,
  ): Promise<void>;

  /** Null when the attempt left no such file. @throws StoreUnavailable */
  abstract open(
    runId: number,
    attempt: number,
    name: ResultFileName,
    range?: ByteRange,
  ): Promise<StoredFile | null>;

  /** Removes all files of an attempt, if there are any. @throws StoreUnavailable */
  abstract remove(runId: number, attempt: number): Promise<void>;

  /** Ends the connections that it has; it is of no use afterwards. */
  close(): void {}

  onApplicationShutdown(): void {
    this.close();
  }
}
