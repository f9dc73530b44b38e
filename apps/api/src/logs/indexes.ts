import { Inject, Injectable, Logger } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import type { ResultFileName } from '@proctor/contracts';
import {
  ArtifactsIndexer,
  artifactsIndexText,
  contentFrom,
  ERROR_PATTERNS,
  errorExpression,
  INDEX_BYTES_MAX,
  LogIndexer,
  logIndexText,
  parseArtifactsIndex,
  parseLogIndex,
  TarMembers,
  type ArtifactsIndex,
  type LogIndex,
  type OpenAt,
} from '@proctor/result-files';
import { ResultStore } from '@proctor/store';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';

/** Indexes that are in memory, each at most INDEX_BYTES_MAX. */
const REMEMBERED_MAX = 32;
/** What is read to make an index: what stands behind that is in none. */
const INDEXED_BYTES_MAX = 1024 ** 3;

/** The files of an attempt in the store. */
export interface StoredAttempt {
  runId: number;
  attempt: number;
}

/** Where in stored files what stands: as the worker has told, or as was found out at the first look. */
@Injectable()
export class Indexes {
  private readonly logger = new Logger('Indexes');
  private readonly known = new Map<string, Promise<LogIndex | ArtifactsIndex>>();

  constructor(
    private readonly store: ResultStore,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** What a line with an error looks like. */
  get errors(): RegExp {
    return errorExpression([...ERROR_PATTERNS, ...this.configuration.server.errorPatterns]);
  }

  /** @param size bytes of log.gz. @throws StoreUnavailable; Error for a file that is no gzip */
  log(of: StoredAttempt, size: number): Promise<LogIndex> {
    return this.remembered(`log ${of.runId} ${of.attempt} ${size}`, async () => {
      const told = await this.told(of, 'log-index.json');
      return (told === null ? null : parseLogIndex(told)) ?? this.foundLogIndex(of, size);
    });
  }

  /** @param size bytes of artifacts.tar.gz. @throws StoreUnavailable; Error for a file that is no gzip */
  artifacts(of: StoredAttempt, size: number): Promise<ArtifactsIndex> {
    return this.remembered(`artifacts ${of.runId} ${of.attempt} ${size}`, async () => {
      const told = await this.told(of, 'artifacts-index.json');
      return (told === null ? null : parseArtifactsIndex(told)) ?? this.foundArtifactsIndex(of, size);
    });
  }

  /** Opens a stored file from a byte on. */
  opener({ runId, attempt }: StoredAttempt, name: ResultFileName, size: number): OpenAt {
    return async (byte) => {
      if (byte >= size) return Readable.from([]);
      const file = await this.store.open(runId, attempt, name, { start: byte, end: size - 1 });
      if (!file) throw new Error(`${name} of run ${runId} is gone`);
      return file.content;
    };
  }

  private remembered<Index extends LogIndex | ArtifactsIndex>(
    key: string,
    find: () => Promise<Index>,
  ): Promise<Index> {
    const known = this.known.get(key) as Promise<Index> | undefined;
    const index = known ?? find();
    // The latest used is the last.
    this.known.delete(key);
    this.known.set(key, index);
    if (!known) index.catch(() => this.known.delete(key));
    const [oldest] = this.known.keys();
    if (this.known.size > REMEMBERED_MAX && oldest !== undefined) this.known.delete(oldest);
    return index;
  }

  /** Null when the worker left no index, or one that is too long. */
  private async told({ runId, attempt }: StoredAttempt, name: ResultFileName): Promise<string | null> {
    const file = await this.store.open(runId, attempt, name);
    if (!file) return null;
    if (file.size <= INDEX_BYTES_MAX) return (await buffer(file.content)).toString();
    file.content.destroy();
    return null;
  }

  private async foundLogIndex(of: StoredAttempt, size: number): Promise<LogIndex> {
    const indexer = new LogIndexer(this.errors);
    await this.read(of, 'log.gz', size, (chunk) => indexer.add(chunk));
    const index = indexer.end();
    await this.keep(of, 'log-index.json', logIndexText(index));
    return index;
  }

  private async foundArtifactsIndex(of: StoredAttempt, size: number): Promise<ArtifactsIndex> {
    const indexer = new ArtifactsIndexer();
    const members = new TarMembers((member) => indexer.addMember(member));
    await this.read(of, 'artifacts.tar.gz', size, (chunk) => members.add(chunk));
    const index = indexer.end();
    await this.keep(of, 'artifacts-index.json', artifactsIndexText(index));
    return index;
  }

  private async read(
    of: StoredAttempt,
    name: ResultFileName,
    size: number,
    add: (chunk: Buffer) => void,
  ): Promise<void> {
    let bytes = 0;
    for await (const chunk of contentFrom(this.opener(of, name, size), [], 0)) {
      add(chunk);
      bytes += chunk.length;
      if (bytes >= INDEXED_BYTES_MAX) return;
    }
  }

  /** The api need not be allowed to write to the store: then the index is found again after a while. */
  private async keep({ runId, attempt }: StoredAttempt, name: ResultFileName, text: string): Promise<void> {
    const content = Buffer.from(text);
    const sha256 = createHash('sha256').update(content).digest('hex');
    const expected = { size: content.length, sha256 };
    try {
      await this.store.put(runId, attempt, name, Readable.from([content]), expected);
    } catch (error) {
      this.logger.debug(`${name} of run ${runId} is not kept: ${String(error)}`);
    }
  }
}
