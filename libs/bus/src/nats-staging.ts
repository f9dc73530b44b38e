import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import { Objm, type ObjectInfo, type ObjectStore } from '@nats-io/obj';
import { STAGING_BUCKET } from '@proctor/contracts';
import type { StagedContent } from './bus';
import { STAGING_STREAM } from './streams';

/** How the object store writes a digest: this, then base64 in the URL alphabet. */
const DIGEST_PREFIX = 'SHA-256=';

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
    await bucket.delete(name);
  }

  /** Not looked up: ensureStreams has made it. */
  private bucket(): Promise<ObjectStore> {
    return new Objm(this.js).open(STAGING_BUCKET, false);
  }

  /** One chunk at a time as the reader takes them: the library's own reader holds the whole object in memory. */
  private async *chunks(info: ObjectInfo): AsyncGenerator<Uint8Array> {
    const subject = `$O.${STAGING_BUCKET}.C.${info.nuid}`;
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
