import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { DirectMsgRequest, MsgRequest, StoredMsg } from '@nats-io/jetstream';
import { stagingFilter, STAGING_PREFIX, stagingStream } from '@proctor/contracts';
import { inPieces } from '@proctor/result-files';
import { requireAnswers } from './answers';
import { StreamFull, type StagedContent, type StagedUpload, type StagingContents } from './bus';
import type { NatsLink } from './nats-link';
import { walkStream } from './stream-walk';
import { isFull } from './streams';

/** Bytes of a chunk; the last of an upload may have fewer. */
const CHUNK_BYTES = 128 * 1024;
/** Chunks that may be sent without an acknowledgement. */
const CHUNKS_IN_FLIGHT_MAX = 8;
/** No wildcard is allowed: it would match the chunks of other uploads. */
const UPLOAD_ID = /^[\w-]{1,100}$/;
/** Size of the record of a complete upload. */
const RECORD_BYTES_MAX = 1_024;
const NAME_LENGTH_MAX = 300;
/** Strays of one area in one listing. */
const STRAYS_MAX = 1_000;

/** The record of a complete upload; the latest of a name counts. */
interface FileRecord {
  upload: string;
  chunks: number;
  size: number;
  sha256: string;
}

interface StoredFile extends FileRecord {
  sequence: number;
}

/** The staging areas: for each worker a stream with the chunks of uploads, and a record for each complete file. */
export class NatsStaging {
  constructor(
    private readonly link: Pick<NatsLink, 'nc' | 'js' | 'jsm' | 'inboxPrefix'>,
    /** Read from the leader of a cluster: a replica may not have the latest messages yet. */
    private readonly fromLeader: boolean,
  ) {}

  async write(worker: string, name: string, content: Readable): Promise<StagedContent> {
    // A stream that failed before this call would look like an empty one.
    if (content.destroyed)
      throw content.errored ?? new Error(`the content of ${name} was closed before it was read`);
    const upload = randomUUID();
    try {
      const { chunks, size, sha256 } = await this.writeChunks(worker, upload, content);
      const record: FileRecord = { upload, chunks, size, sha256 };
      await this.link.js.publish(fileSubject(worker, name), JSON.stringify(record));
      return { size, sha256 };
    } catch (error) {
      throw isFull(error)
        ? new StreamFull(`${name}: the staging area of ${worker} is full`, { cause: error })
        : error;
    } finally {
      content.destroy();
    }
  }

  async read(worker: string, name: string): Promise<Readable | null> {
    const file = await this.findFile(worker, name);
    if (!file) return null;
    const chunks = requireAnswers(stagingStream(worker), this.chunks(worker, name, file));
    return Readable.from(chunks, { objectMode: false });
  }

  async deleteFile(worker: string, name: string): Promise<void> {
    const file = await this.findFile(worker, name);
    if (file) await this.deleteRecordAndChunks(worker, name, file);
  }

  async deleteUpload({ worker, id, name }: Pick<StagedUpload, 'worker' | 'id' | 'name'>): Promise<void> {
    const file = name === null ? null : await this.findFile(worker, name);
    if (name !== null && file?.upload === id) await this.deleteRecordAndChunks(worker, name, file);
    else await this.deleteChunks(worker, id);
  }

  async *list(signal?: AbortSignal): AsyncGenerator<StagingContents> {
    for await (const { config, state } of this.link.jsm.streams.list(`${STAGING_PREFIX}>`)) {
      signal?.throwIfAborted();
      const worker = config.subjects?.[0]?.split('.')[2];
      if (worker === undefined || state.messages === 0) continue;
      const { bytes, messages } = state;
      const limits = { bytesMax: config.max_bytes, messagesMax: config.max_msgs };
      yield { worker, bytes, messages, ...limits, ...(await this.listArea(worker, signal)) };
    }
  }

  async deleteStray(worker: string, stray: string): Promise<void> {
    if (/[*>]/.test(stray)) return;
    await this.link.jsm.streams.purge(stagingStream(worker), {
      filter: `${STAGING_PREFIX}${worker}.${stray}`,
    });
  }

  private async listArea(
    worker: string,
    signal?: AbortSignal,
  ): Promise<Pick<StagingContents, 'uploads' | 'strays'>> {
    const [uploads, strays] = [new Map<string, StagedUpload>(), new Set<string>()];
    /** name → the sequence number of its latest record */
    const records = new Map<string, number>();
    const addStray = (subject: string): void => {
      if (strays.size < STRAYS_MAX) strays.add(strayOf(worker, subject));
    };
    await walkStream(
      this.link,
      stagingStream(worker),
      stagingFilter(worker),
      ({ subject, sequence, bytes }) => {
        const id = lastToken(subject);
        if (subject.startsWith(`${STAGING_PREFIX}${worker}.chunk.`)) {
          if (!UPLOAD_ID.test(id)) return addStray(subject);
          const upload = uploads.get(id) ?? { worker, id, name: null, chunks: 0 };
          upload.chunks += 1;
          uploads.set(id, upload);
        } else if (subject.startsWith(`${STAGING_PREFIX}${worker}.file.`)) {
          const name = nameOf(subject);
          if (bytes > RECORD_BYTES_MAX || name === null) return addStray(subject);
          records.set(name, sequence);
        }
      },
      signal,
    );
    for (const [name, seq] of records) {
      signal?.throwIfAborted();
      const message = await this.message(worker, { seq });
      const record = message && recordOf(message);
      if (record)
        uploads.set(record.upload, {
          worker,
          id: record.upload,
          name,
          chunks: uploads.get(record.upload)?.chunks ?? 0,
        });
      else if (message) addStray(message.subject);
    }
    return { uploads: [...uploads.values()], strays: [...strays] };
  }

  private async writeChunks(
    worker: string,
    upload: string,
    content: Readable,
  ): Promise<StagedContent & { chunks: number }> {
    const hash = createHash('sha256');
    const messages: Promise<unknown>[] = [];
    let [chunks, size] = [0, 0];
    try {
      for await (const chunk of inPieces(content, CHUNK_BYTES)) {
        if (messages.length >= CHUNKS_IN_FLIGHT_MAX) await messages.shift();
        const msgID = `${upload}.${chunks}`;
        const stored = this.link.js.publish(chunkSubject(worker, upload), chunk, { msgID });
        // The promise is awaited later. This handler keeps Node.js from reporting a rejection as unhandled until then.
        stored.catch(() => undefined);
        messages.push(stored);
        hash.update(chunk);
        chunks += 1;
        size += chunk.length;
      }
    } finally {
      await Promise.allSettled(messages);
    }
    await Promise.all(messages);
    return { chunks, size, sha256: hash.digest('hex') };
  }

  private async findFile(worker: string, name: string): Promise<StoredFile | null> {
    const query = { last_by_subj: fileSubject(worker, name) };
    const message = await this.message(worker, query);
    return message && recordOf(message);
  }

  /** The record is deleted first: chunks that stay are listed as an upload that broke off. */
  private async deleteRecordAndChunks(
    worker: string,
    name: string,
    { upload, sequence }: StoredFile,
  ): Promise<void> {
    // Later records stay: another upload may have replaced the one that was read.
    const filter = fileSubject(worker, name);
    await this.link.jsm.streams.purge(stagingStream(worker), { filter, seq: sequence + 1 });
    await this.deleteChunks(worker, upload);
  }

  private async deleteChunks(worker: string, upload: string): Promise<void> {
    if (!UPLOAD_ID.test(upload)) return;
    await this.link.jsm.streams.purge(stagingStream(worker), { filter: chunkSubject(worker, upload) });
  }

  /** Reads each chunk only when the caller requests it. */
  private async *chunks(worker: string, name: string, file: FileRecord): AsyncGenerator<Uint8Array> {
    let count = 0;
    for await (const { data } of this.messages(worker, chunkSubject(worker, file.upload))) {
      yield data;
      if (++count === file.chunks) return;
    }
    if (count < file.chunks)
      throw new Error(
        `${name}: chunk ${count + 1} of ${file.chunks} is gone from the staging area of ${worker}`,
      );
  }

  private message(worker: string, query: DirectMsgRequest): Promise<StoredMsg | null> {
    const { streams, direct } = this.link.jsm;
    const stream = stagingStream(worker);
    // Both calls accept the same queries, although the types of one do not say so.
    return this.fromLeader
      ? streams.getMessage(stream, query as MsgRequest)
      : direct.getMessage(stream, query);
  }

  private async *messages(worker: string, subject: string): AsyncGenerator<StoredMsg> {
    for (let sequence = 1; ;) {
      const message = await this.message(worker, { seq: sequence, next_by_subj: subject });
      if (!message) return;
      sequence = message.seq + 1;
      yield message;
    }
  }
}

function chunkSubject(worker: string, upload: string): string {
  return `${STAGING_PREFIX}${worker}.chunk.${upload}`;
}

function fileSubject(worker: string, name: string): string {
  return `${STAGING_PREFIX}${worker}.file.${Buffer.from(name).toString('base64url')}`;
}

/** Null when the subject was not built by `fileSubject`. */
function nameOf(subject: string): string | null {
  const token = lastToken(subject);
  const name = Buffer.from(token, 'base64url').toString();
  return name.length <= NAME_LENGTH_MAX && Buffer.from(name).toString('base64url') === token ? name : null;
}

/** The part of the subject after the worker's name. */
function strayOf(worker: string, subject: string): string {
  return subject.slice(`${STAGING_PREFIX}${worker}.`.length);
}

function lastToken(subject: string): string {
  return subject.slice(subject.lastIndexOf('.') + 1);
}

/** Null for an unreadable record: workers write them. */
function recordOf(message: StoredMsg): StoredFile | null {
  try {
    const { upload, chunks, size, sha256 } = message.json<Partial<FileRecord> | null>() ?? {};
    if (typeof upload !== 'string' || !UPLOAD_ID.test(upload)) return null;
    if (!Number.isSafeInteger(chunks) || (chunks as number) < 0) return null;
    return {
      upload,
      chunks: chunks as number,
      size: Number(size),
      sha256: String(sha256),
      sequence: message.seq,
    };
  } catch {
    return null;
  }
}
