import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type {
  DirectMsgRequest,
  JetStreamClient,
  JetStreamManager,
  MsgRequest,
  StoredMsg,
} from '@nats-io/jetstream';
import { stagingFilter, STAGING_PREFIX, stagingStream } from '@proctor/contracts';
import { inPieces } from '@proctor/result-files';
import { StreamFull, type StagedContent, type StagedUpload, type StagingContents } from './bus';
import { isFull } from './streams';

/** Bytes of a message; the last of an upload may have fewer. */
const CHUNK_BYTES = 128 * 1024;
/** Chunks that are sent before the first of them is acknowledged. */
const CHUNKS_IN_FLIGHT_MAX = 8;
/** No wildcard, which would take the chunks of other uploads with it. */
const UPLOAD_ID = /^[\w-]+$/;

/** What is known of a whole upload; the latest of a name counts. */
interface FileRecord {
  upload: string;
  chunks: number;
  size: number;
  sha256: string;
}

interface FoundFile extends FileRecord {
  sequence: number;
}

/** The staging areas: for each worker a stream of chunks, and of a record for each whole file. */
export class NatsStaging {
  constructor(
    private readonly js: JetStreamClient,
    private readonly jsm: JetStreamManager,
    /** Of a stream in a cluster: another replica may not have yet what was stored. */
    private readonly fromLeader: boolean,
  ) {}

  async put(worker: string, name: string, content: Readable): Promise<StagedContent> {
    // A stream that broke before would look like an empty one.
    if (content.destroyed)
      throw content.errored ?? new Error(`the content of ${name} was closed before it was read`);
    const upload = randomUUID();
    try {
      const { chunks, size, sha256 } = await this.putChunks(worker, upload, content);
      const record: FileRecord = { upload, chunks, size, sha256 };
      await this.js.publish(fileSubject(worker, name), JSON.stringify(record));
      return { size, sha256 };
    } catch (error) {
      throw isFull(error)
        ? new StreamFull(`${name}: the staging area of ${worker} is full`, { cause: error })
        : error;
    } finally {
      content.destroy();
    }
  }

  async get(worker: string, name: string): Promise<Readable | null> {
    const file = await this.find(worker, name);
    return file && Readable.from(this.chunks(worker, name, file), { objectMode: false });
  }

  async drop(worker: string, name: string): Promise<void> {
    const file = await this.find(worker, name);
    if (file) await this.remove(worker, name, file);
  }

  async dropUpload({ worker, id, name }: Pick<StagedUpload, 'worker' | 'id' | 'name'>): Promise<void> {
    const file = name === null ? null : await this.find(worker, name);
    if (name !== null && file?.upload === id) await this.remove(worker, name, file);
    else await this.dropChunks(worker, id);
  }

  async contents(signal?: AbortSignal): Promise<StagingContents[]> {
    const contents: StagingContents[] = [];
    for await (const { config, state } of this.jsm.streams.list(`${STAGING_PREFIX}>`)) {
      signal?.throwIfAborted();
      const worker = config.subjects?.[0]?.split('.')[2];
      if (worker !== undefined && state.messages > 0) contents.push(await this.contentsOf(worker, signal));
    }
    return contents;
  }

  private async contentsOf(worker: string, signal?: AbortSignal): Promise<StagingContents> {
    // Chunks first: an upload that is completed meanwhile is found to be whole.
    const filter = { subjects_filter: stagingFilter(worker, 'chunk') };
    const { state, config } = await this.jsm.streams.info(stagingStream(worker), filter);
    const uploads = new Map<string, StagedUpload>();
    for (const [subject, chunks] of Object.entries(state.subjects ?? {})) {
      const id = lastToken(subject);
      uploads.set(id, { worker, id, name: null, chunks });
    }
    const latest = new Map<string, string>();
    for await (const message of this.messages(worker, stagingFilter(worker, 'file'))) {
      signal?.throwIfAborted();
      const file = recordOf(message);
      if (file) latest.set(nameOf(message.subject), file.upload);
    }
    for (const [name, id] of latest)
      uploads.set(id, { worker, id, name, chunks: uploads.get(id)?.chunks ?? 0 });
    return { worker, bytes: state.bytes, bytesMax: config.max_bytes, uploads: [...uploads.values()] };
  }

  private async putChunks(
    worker: string,
    upload: string,
    content: Readable,
  ): Promise<StagedContent & { chunks: number }> {
    const hash = createHash('sha256');
    const sent: Promise<unknown>[] = [];
    let [chunks, size] = [0, 0];
    try {
      for await (const chunk of inPieces(content, CHUNK_BYTES)) {
        if (sent.length >= CHUNKS_IN_FLIGHT_MAX) await sent.shift();
        const msgID = `${upload}.${chunks}`;
        const stored = this.js.publish(chunkSubject(worker, upload), chunk, { msgID });
        // It is awaited later; its rejection is not unhandled until then.
        stored.catch(() => undefined);
        sent.push(stored);
        hash.update(chunk);
        chunks += 1;
        size += chunk.length;
      }
    } finally {
      await Promise.allSettled(sent);
    }
    await Promise.all(sent);
    return { chunks, size, sha256: hash.digest('hex') };
  }

  private async find(worker: string, name: string): Promise<FoundFile | null> {
    const query = { last_by_subj: fileSubject(worker, name) };
    const message = await this.message(worker, query);
    return message && recordOf(message);
  }

  /** The record goes first: chunks that stay without it are found as an upload that broke off. */
  private async remove(worker: string, name: string, { upload, sequence }: FoundFile): Promise<void> {
    // Not beyond the one that was read: another upload may have taken its place.
    const filter = fileSubject(worker, name);
    await this.jsm.streams.purge(stagingStream(worker), { filter, seq: sequence + 1 });
    await this.dropChunks(worker, upload);
  }

  private async dropChunks(worker: string, upload: string): Promise<void> {
    if (!UPLOAD_ID.test(upload)) return;
    await this.jsm.streams.purge(stagingStream(worker), { filter: chunkSubject(worker, upload) });
  }

  /** One chunk at a time as the reader takes them. */
  private async *chunks(worker: string, name: string, file: FileRecord): AsyncGenerator<Uint8Array> {
    let read = 0;
    for await (const { data } of this.messages(worker, chunkSubject(worker, file.upload))) {
      yield data;
      if (++read === file.chunks) return;
    }
    if (read < file.chunks)
      throw new Error(
        `${name}: chunk ${read + 1} of ${file.chunks} is gone from the staging area of ${worker}`,
      );
  }

  private message(worker: string, query: DirectMsgRequest): Promise<StoredMsg | null> {
    const { streams, direct } = this.jsm;
    const stream = stagingStream(worker);
    // Both calls understand the same queries, which the types of one do not say.
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

function nameOf(fileSubject: string): string {
  return Buffer.from(lastToken(fileSubject), 'base64url').toString();
}

function lastToken(subject: string): string {
  return subject.slice(subject.lastIndexOf('.') + 1);
}

/** Null for an unreadable record: workers write them. */
function recordOf(message: StoredMsg): FoundFile | null {
  try {
    const { upload, chunks, size, sha256 } = message.json<Partial<FileRecord> | null>() ?? {};
    if (typeof upload !== 'string' || !Number.isSafeInteger(chunks) || (chunks as number) < 0) return null;
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
