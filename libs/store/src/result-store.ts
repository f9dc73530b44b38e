import type { Readable } from 'node:stream';
import type { ResultFileName } from '@proctor/contracts';

/** What came is not what was announced; nothing of it is kept. */
export class StoreMismatch extends Error {}

export interface ExpectedContent {
  /** Bytes. */
  size: number;
  /** Lower-case hex. */
  sha256: string;
}

/** Bytes `start` to `end`, both included; 0 is the first. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface StoredFile {
  /** Bytes of the whole file. */
  size: number;
  modified: Date;
  /** The file, or the range of it: read it or destroy it. */
  content: Readable;
}

/** Keeps the result files of finished attempts; an injection token too. */
export abstract class ResultStore {
  /**
   * Keeps a file, in place of an earlier one. It is there as a whole, durably, or not at all.
   * @throws StoreMismatch when size or checksum differ
   */
  abstract put(
    runId: number,
    attempt: number,
    name: ResultFileName,
    content: Readable,
    expected: ExpectedContent,
  ): Promise<void>;

  /** Null when the attempt left no such file. */
  abstract open(
    runId: number,
    attempt: number,
    name: ResultFileName,
    range?: ByteRange,
  ): Promise<StoredFile | null>;

  /** Removes all files of an attempt, if there are any. */
  abstract remove(runId: number, attempt: number): Promise<void>;
}
