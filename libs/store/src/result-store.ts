import type { OnApplicationShutdown } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { cut, type ResultFileName } from '@proctor/contracts';

/** Characters of what a server says in an error: it may send much more. */
const REASON_LENGTH_MAX = 500;

/** What came is not what was announced; nothing of it is kept. */
export class StoreMismatch extends Error {}

/** The store is out of reach, is full or refuses us. The same call may succeed later. */
export class StoreUnavailable extends Error {
  /** @param store e.g. `the folder /srv/store`; people read it in the log */
  constructor(store: string, cause: unknown) {
    super(`${store} is not available: ${cut(reasonOf(cause), REASON_LENGTH_MAX)}`, { cause });
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

/** The files of one attempt in a store, by name. */
export interface StoredNames {
  runId: number;
  attempt: number;
  names: ResultFileName[];
  /** Of the newest of them. */
  modified: Date;
}

/** A file that may be removed. */
export interface NamedFile {
  runId: number;
  attempt: number;
  name: ResultFileName;
}

/** How much of the disk is free that a store is on. */
export interface FreeSpace {
  freeBytes: number;
  totalBytes: number;
}

/** Keeps the result files of finished attempts; an injection token too. */
export abstract class ResultStore implements OnApplicationShutdown {
  /**
   * Keeps a file, in place of an earlier one. It is there as a whole, durably, or not at all.
   * @throws StoreMismatch when size or checksum differ; StoreUnavailable; what the content throws
   */
  abstract save(
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

  /** A file from a byte on, to its end; null when the attempt left no such file. @throws StoreUnavailable */
  async openFrom(
    runId: number,
    attempt: number,
    name: ResultFileName,
    start = 0,
  ): Promise<StoredFile | null> {
    if (start === 0) return this.open(runId, attempt, name);
    const first = await this.open(runId, attempt, name, { start: 0, end: 0 });
    first?.content.destroy();
    if (!first || start >= first.size) return null;
    return this.open(runId, attempt, name, { start, end: first.size - 1 });
  }

  /** Removes all files of an attempt, if there are any. @throws StoreUnavailable */
  abstract remove(runId: number, attempt: number): Promise<void>;

  /** Ends the connections that it has; it is of no use afterwards. */
  close(): void {}

  onApplicationShutdown(): void {
    this.close();
  }
}

/** One that can be kept in order too; an injection token. */
export abstract class MaintainedStore extends ResultStore {
  /** Removes files, those that are there. What it has removed when it fails is not told: ask again. @throws StoreUnavailable */
  abstract removeFiles(files: NamedFile[]): Promise<void>;

  /** Everything that it keeps, attempt by attempt. What comes or goes meanwhile may be among it. @throws StoreUnavailable */
  abstract list(): AsyncIterable<StoredNames>;

  /** Null where that cannot be known. @throws StoreUnavailable */
  abstract space(): Promise<FreeSpace | null>;
}
