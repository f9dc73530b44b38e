import type { OnApplicationShutdown } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { cut, type ResultFileName } from '@proctor/contracts';

/** Characters of a server's error message: it may be much longer. */
const REASON_LENGTH_MAX = 500;

/** The content differs from the announced size or checksum; nothing of it is saved. */
export class StoreMismatch extends Error {}

/** The store cannot be reached, is full or refuses. The same call may succeed later. */
export class StoreUnavailable extends Error {
  /** @param store e.g. `the folder /srv/store`; people read it in the log */
  constructor(store: string, cause: unknown) {
    super(`${store} is not available: ${cut(reasonOf(cause), REASON_LENGTH_MAX)}`, { cause });
  }
}

/** S3 errors have their meaning in the name, errors of a refused connection only in the code. */
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
  /** The file, or its range: read it or destroy it. Fails with StoreUnavailable when it breaks off. */
  content: Readable;
}

/** The files of one attempt in a store, by name. */
export interface StoredNames {
  runId: number;
  attempt: number;
  names: ResultFileName[];
  /** Time of the newest file. */
  modified: Date;
}

/** A file that may be removed. */
export interface NamedFile {
  runId: number;
  attempt: number;
  name: ResultFileName;
}

/** Free space of the store's disk. */
export interface FreeSpace {
  freeBytes: number;
  totalBytes: number;
}

/** Keeps the result files of finished attempts; an injection token too. */
export abstract class ResultStore implements OnApplicationShutdown {
  /**
   * Saves a file, and replaces an earlier one: completely and durably, or not at all.
   * @throws StoreMismatch when size or checksum differ; StoreUnavailable; errors of the content
   */
  abstract save(
    runId: number,
    attempt: number,
    name: ResultFileName,
    content: Readable,
    expected: ExpectedContent,
  ): Promise<void>;

  /** Opens a file; null if the attempt has no such file. @throws StoreUnavailable if the store cannot be read */
  abstract open(
    runId: number,
    attempt: number,
    name: ResultFileName,
    range?: ByteRange,
  ): Promise<StoredFile | null>;

  /**
   * Opens a file from byte `start` to its end; null if the attempt has no such file. @throws StoreUnavailable if the
   * store cannot be read
   */
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

  /** Removes all files of an attempt, if there are any. @throws StoreUnavailable if they cannot be removed */
  abstract remove(runId: number, attempt: number): Promise<void>;

  /** Closes the store's connections; it cannot be used afterwards. */
  close(): void {}

  onApplicationShutdown(): void {
    this.close();
  }
}

/** A store that can also be listed and cleaned; an injection token. */
export abstract class MaintainedStore extends ResultStore {
  /**
   * Removes files, if they exist. @throws StoreUnavailable if that fails; some files may be removed then: call it again
   */
  abstract removeFiles(files: NamedFile[]): Promise<void>;

  /**
   * Lists all stored files, attempt by attempt; files that are added or removed during the call may be listed.
   * @throws StoreUnavailable if the store cannot be read
   */
  abstract list(): AsyncIterable<StoredNames>;

  /** The free space; null if it is unknown. @throws StoreUnavailable if the store cannot be read */
  abstract space(): Promise<FreeSpace | null>;
}
