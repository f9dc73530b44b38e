import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import { Objm, type ObjectInfo, type ObjectStore } from '@nats-io/obj';
import { STAGING_BUCKET } from '@proctor/contracts';
import { StreamFull, type StagedContent, type StagedUpload, type StagingContents } from './bus';
import { isFull, STAGING_STREAM } from './streams';

/** How the object store writes a digest: this, then base64 in the URL alphabet. */
const DIGEST_PREFIX = 'SHA-256=';
/** Where chunks of an upload are, and what is known of a whole one. */
const CHUNKS = `$O.${STAGING_BUCKET}.C.`;
const METADATA = `$O.${STAGING_BUCKET}.M.`;
/** No wildcard, which would take the chunks of other uploads with it. */
const UPLOAD_ID = /^[\w-]+$/;

/** The staging bucket: a JetStream object store. */
export class NatsStaging {
  constructor(
    private readonly js: JetStreamClient,
    private readonly jsm: JetStreamManager,
  ) {}

  async put(name: string, content: Readable): Promise<StagedContent> {
    // A stream that broke before would be taken for an empty one.
    if (content.destroyed)
      throw content.errored ?? new Error(`the content of ${name} was closed before it was read`);
    const source = Readable.toWeb(content) as ReadableStream<Uint8Array>;
    try {
      const bucket = await this.bucket();
      const info = await bucket.put({ name }, source);
      return { size: info.size, sha256: hexDigest(info) };
    } catch (error) {
      throw isFull(error) ? new StreamFull(`${name}: the staging bucket is full`, { cause: error }) : error;
    } finally {
      content.destroy();
    }
  }

  async get(name: string): Promise<Readable | null> {
    const bucket = await this.bucket();
    const info = await bucket.info(name);
    if (!info || info.deleted) return null;
    return Readable.from(this.chunks(info), { objectMode: false });
  }

  async drop(name: string): Promise<void> {
    const bucket = await this.bucket();
    const info = await bucket.info(name);
    if (info) await this.remove(name, info);
  }

  async dropUpload({ id, name }: Pick<StagedUpload, 'id' | 'name'>): Promise<void> {
    if (name === null) return this.dropChunks(id);
    const bucket = await this.bucket();
    const info = await bucket.info(name);
    if (info?.nuid === id) await this.remove(name, info);
  }

  async contents(signal?: AbortSignal): Promise<StagingContents> {
    // Chunks first: an upload that is completed meanwhile is found to be whole.
    const filter = { subjects_filter: `${CHUNKS}>` };
    const { state, config } = await this.jsm.streams.info(STAGING_STREAM, filter);
    const uploads = new Map<string, StagedUpload>();
    for (const [subject, chunks] of Object.entries(state.subjects ?? {})) {
      const id = subject.slice(CHUNKS.length);
      uploads.set(id, { id, name: null, chunks });
    }
    for await (const { id, name } of this.wholeUploads()) {
      signal?.throwIfAborted();
      uploads.set(id, { id, name, chunks: uploads.get(id)?.chunks ?? 0 });
    }
    return { bytes: state.bytes, bytesMax: config.max_bytes, uploads: [...uploads.values()] };
  }

  /** The metadata goes first: chunks that stay without it are found as an upload that broke off. */
  private async remove(name: string, { nuid, revision }: ObjectInfo): Promise<void> {
    // Not beyond the one that was read: another upload may have taken its place.
    await this.jsm.streams.purge(STAGING_STREAM, { filter: metadataSubject(name), seq: revision + 1 });
    await this.dropChunks(nuid);
  }

  private async dropChunks(id: string): Promise<void> {
    if (!UPLOAD_ID.test(id)) return;
    await this.jsm.streams.purge(STAGING_STREAM, { filter: `${CHUNKS}${id}` });
  }

  private async *wholeUploads(): AsyncGenerator<{ id: string; name: string }> {
    for (let sequence = 1; ;) {
      const metadata = await this.jsm.direct.getMessage(STAGING_STREAM, {
        seq: sequence,
        next_by_subj: `${METADATA}>`,
      });
      if (!metadata) return;
      sequence = metadata.seq + 1;
      const id = uploadOf(metadata.string());
      if (id !== null) yield { id, name: nameOf(metadata.subject) };
    }
  }

  /** Not looked up: ensureStreams has made it. */
  private bucket(): Promise<ObjectStore> {
    return new Objm(this.js).open(STAGING_BUCKET, false);
  }

  /** One chunk at a time as the reader takes them: the library's own reader holds the whole object in memory. */
  private async *chunks(info: ObjectInfo): AsyncGenerator<Uint8Array> {
    const subject = `${CHUNKS}${info.nuid}`;
    let sequence = 1;
    for (let read = 0; read < info.chunks; read++) {
      const chunk = await this.jsm.direct.getMessage(STAGING_STREAM, {
        seq: sequence,
        next_by_subj: subject,
      });
      if (!chunk)
        throw new Error(`${info.name}: chunk ${read + 1} of ${info.chunks} is gone from the staging bucket`);
      sequence = chunk.seq + 1;
      yield chunk.data;
    }
  }
}

function hexDigest(info: ObjectInfo): string {
  return Buffer.from(info.digest.slice(DIGEST_PREFIX.length), 'base64url').toString('hex');
}

function metadataSubject(name: string): string {
  const encoded = Buffer.from(name).toString('base64url');
  return `${METADATA}${encoded.padEnd(Math.ceil(encoded.length / 4) * 4, '=')}`;
}

function nameOf(metadataSubject: string): string {
  return Buffer.from(metadataSubject.slice(METADATA.length), 'base64url').toString();
}

/** Null for metadata that nobody can read, or that says that the content was removed. */
function uploadOf(metadata: string): string | null {
  try {
    const { nuid, deleted } = JSON.parse(metadata) as { nuid?: unknown; deleted?: unknown };
    return typeof nuid === 'string' && deleted !== true ? nuid : null;
  } catch {
    return null;
  }
}
