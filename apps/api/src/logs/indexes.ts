import { Inject, Injectable, Logger } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ResultFileName } from '@proctor/contracts';
import {
  ArtifactsIndexer,
  artifactsIndexText,
  contentFrom,
  ERROR_PATTERNS,
  errorExpression,
  LogIndexer,
  logIndexText,
  parseArtifactsIndex,
  parseLogIndex,
  readWithin,
  TarMembers,
  TooFar,
  type ArtifactsIndex,
  type GzipBlock,
  type LogIndex,
  type OpenAt,
  wholeText,
} from '@proctor/result-files';
import { ResultStore, StoreUnavailable } from '@proctor/store';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import type { ReadTimes } from './indexed-log';
import { LRUCache } from 'lru-cache';
import { comeBack, Problem } from '../http/problem';
import { reading } from '../http/reading';
import { Semaphore } from '../http/semaphore';

/** How many indexes are in memory, each with at most INDEX_BYTES_MAX. */
const REMEMBERED_MAX = 32;
/** How many bytes are read to make an index; later bytes are in none. */
const INDEXED_BYTES_MAX = 1024 ** 3;
/** How many indexes are made at the same time; further ones wait. */
export const MADE_AT_ONCE_MAX = 2;
export const WAIT_MS = 10_000;
/** A file that is damaged, or that was not read to its end in time, is not read again for this long. */
const AGAIN_MS = 60_000;
/** Deflate cannot expand one byte of a file to more bytes. */
const EXPANSION_MAX = 1_032;

/** The files of an attempt in the store. */
interface StoredAttempt {
  runId: number;
  attempt: number;
}

/** Places in stored files, from the worker's index, or computed at the first read. */
@Injectable()
export class Indexes {
  private readonly logger = new Logger('Indexes');
  private readonly indexes = new LRUCache<string, Promise<LogIndex | ArtifactsIndex>>({
    max: REMEMBERED_MAX,
  });
  private readonly places = new Semaphore(() => MADE_AT_ONCE_MAX);

  constructor(
    private readonly store: ResultStore,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** The pattern of lines with errors. */
  get errors(): RegExp {
    return errorExpression([...ERROR_PATTERNS, ...this.configuration.server.errorPatterns]);
  }

  /** How long logs are read. */
  get times(): ReadTimes {
    return this.configuration.server;
  }

  /**
   * @param size bytes of log.gz
   * @throws StoreUnavailable if the store does not answer; Error if the file is no gzip
   */
  log(of: StoredAttempt, size: number): Promise<LogIndex> {
    return this.remember(`log ${of.runId} ${of.attempt} ${size}`, async (removeSoon) => {
      return (await this.storedLog(of, size)) ?? this.foundLogIndex(of, size, removeSoon);
    });
  }

  /**
   * The index that the store has; null if there is none, or if it cannot belong to the log.
   * @throws StoreUnavailable if the store does not answer
   */
  async storedLog(of: StoredAttempt, size: number): Promise<LogIndex | null> {
    const text = await this.readIndex(of, 'log-index.json');
    const index = text === null ? null : parseLogIndex(text);
    return index && isPossible(index.bytes, index.blocks, size) ? index : null;
  }

  /**
   * @param size bytes of artifacts.tar.gz
   * @throws StoreUnavailable if the store does not answer; Error if the file is no gzip
   */
  artifacts(of: StoredAttempt, size: number): Promise<ArtifactsIndex> {
    return this.remember(`artifacts ${of.runId} ${of.attempt} ${size}`, async (removeSoon) => {
      const text = await this.readIndex(of, 'artifacts-index.json');
      const index = text === null ? null : parseArtifactsIndex(text);
      return index && isPossible(endOf(index), index.blocks, size)
        ? index
        : this.foundArtifactsIndex(of, size, removeSoon);
    });
  }

  /** Opens a stored file at an offset. */
  opener({ runId, attempt }: StoredAttempt, name: ResultFileName, size: number): OpenAt {
    return async (byte) => {
      if (byte >= size) return Readable.from([]);
      const file = await this.store.open(runId, attempt, name, { start: byte, end: size - 1 });
      if (!file) throw new Error(`${name} of run ${runId} is gone`);
      return file.content;
    };
  }

  private remember<Index extends LogIndex | ArtifactsIndex>(
    key: string,
    find: (removeSoon: () => void) => Promise<Index>,
  ): Promise<Index> {
    const earlier = this.indexes.get(key) as Promise<Index> | undefined;
    const index = earlier ?? find(() => this.removeSoon(key));
    if (!earlier) {
      this.indexes.set(key, index);
      index.catch((error: unknown) => this.removeFailed(key, error));
    }
    return reading(index);
  }

  /** The store may answer the next time; a damaged file stays damaged. */
  private removeFailed(key: string, error: unknown): void {
    if (!(error instanceof DamagedFile)) this.indexes.delete(key);
    else this.removeSoon(key);
  }

  private removeSoon(key: string): void {
    setTimeout(() => this.indexes.delete(key), AGAIN_MS).unref();
  }

  /**
   * @returns null if the worker stored no index, or one that is too long
   * @throws StoreUnavailable if the store does not answer, or not in time
   */
  private async readIndex({ runId, attempt }: StoredAttempt, name: ResultFileName): Promise<string | null> {
    const open = (): ReturnType<ResultStore['open']> => this.store.open(runId, attempt, name);
    try {
      return await wholeText(open, name, this.configuration.server.indexMs);
    } catch (error) {
      throw error instanceof TooFar ? new StoreUnavailable('the result store', error) : error;
    }
  }

  private async foundLogIndex(of: StoredAttempt, size: number, removeSoon: () => void): Promise<LogIndex> {
    const indexer = new LogIndexer(this.errors);
    const isWhole = await this.read(of, 'log.gz', size, (chunk) => indexer.add(chunk));
    const index = indexer.end();
    if (isWhole) await this.saveIndex(of, 'log-index.json', logIndexText(index));
    else removeSoon();
    return index;
  }

  private async foundArtifactsIndex(
    of: StoredAttempt,
    size: number,
    removeSoon: () => void,
  ): Promise<ArtifactsIndex> {
    const indexer = new ArtifactsIndexer();
    const members = new TarMembers((member) => indexer.addMember(member));
    const isWhole = await this.read(of, 'artifacts.tar.gz', size, (chunk) => members.add(chunk));
    const index = indexer.end();
    if (isWhole) await this.saveIndex(of, 'artifacts-index.json', artifactsIndexText(index));
    else removeSoon();
    return index;
  }

  /**
   * Reads the part of a file from which an index is made. It goes on if its reader disconnects: others wait for the
   * same index.
   * @returns whether the time was enough
   * @throws StoreUnavailable if the store does not answer; DamagedFile for an unreadable file; Problem 503 if too
   * many indexes are being made
   */
  private async read(
    of: StoredAttempt,
    name: ResultFileName,
    size: number,
    add: (chunk: Buffer) => void,
  ): Promise<boolean> {
    const leave = await this.places.acquire(1, WAIT_MS);
    if (!leave) throw comeBack(503, 'Too many logs are being read for the first time.', WAIT_MS);
    const content = (signal: AbortSignal) => contentFrom(this.opener(of, name, size), [], 0, { signal });
    let bytes = 0;
    try {
      for await (const chunk of readWithin(this.configuration.server.indexMs, name, content)) {
        add(chunk);
        bytes += chunk.length;
        if (bytes >= INDEXED_BYTES_MAX) return true;
      }
      return true;
    } catch (error) {
      if (error instanceof TooFar) return false;
      if (error instanceof StoreUnavailable) throw error;
      throw new DamagedFile(name, of.runId, error);
    } finally {
      leave();
    }
  }

  /** The api may have no right to write to the store: then the index is computed again after a while. */
  private async saveIndex(
    { runId, attempt }: StoredAttempt,
    name: ResultFileName,
    text: string,
  ): Promise<void> {
    const content = Buffer.from(text);
    const sha256 = createHash('sha256').update(content).digest('hex');
    const expected = { size: content.length, sha256 };
    try {
      await this.store.save(runId, attempt, name, Readable.from([content]), expected);
    } catch (error) {
      this.logger.debug(`${name} of run ${runId} is not kept: ${String(error)}`);
    }
  }
}

/** A stored file that cannot be read. */
export class DamagedFile extends Problem {
  constructor(name: ResultFileName, runId: number, cause: unknown) {
    super(
      404,
      `${name} of run ${runId} is damaged: ${cause instanceof Error ? cause.message : String(cause)}.`,
    );
  }
}

/** Whether a file of this size can have this content: a worker may report anything. */
function isPossible(bytes: number, blocks: readonly GzipBlock[], size: number): boolean {
  return bytes <= size * EXPANSION_MAX && blocks.every(({ gzipOffset }) => gzipOffset < size);
}

function endOf({ members }: ArtifactsIndex): number {
  return members.reduce((end, { offset, size }) => Math.max(end, offset + size), 0);
}
