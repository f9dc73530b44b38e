import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { RESULT_FILES, type ResultFileName } from '@proctor/contracts';
import { ContentCheck } from './content-check';
import { boundAnswers } from './bounded-answers';
import { limitContent } from './outgoing';
import { fileAt, storedPath } from './result-path';
import {
  MaintainedStore,
  StoreUnavailable,
  type ByteRange,
  type ExpectedContent,
  type NamedFile,
  type StoredFile,
  type StoredNames,
} from './result-store';
import type { S3Credentials, S3Settings } from './store-settings';

/** Parts of one file that are uploaded in parallel: there are many files, and memory holds each part. */
const PARTS_AT_ONCE = 1;
/** Tries of one request, with a growing pause between them. */
const TRIES_MAX = 3;
/** Names on a page of a list. Even with the longest names of S3, a page is shorter than `answerBytesMax` allows. */
const NAMES_PER_PAGE = 500;
/** Empty pages of a list in a row. */
const EMPTY_PAGES_MAX = 100;
/** Objects that one request removes: the limit of S3. */
const REMOVED_PER_REQUEST = 1_000;

/** Keeps results in a bucket, under the same names as in a folder. */
export class S3Store extends MaintainedStore {
  private readonly client: S3Client;
  private readonly where: string;

  constructor(
    private readonly settings: S3Settings,
    credentials: S3Credentials,
  ) {
    super();
    this.client = clientOf(settings, credentials);
    this.where = `the bucket ${settings.bucket} of ${settings.endpoint ?? `S3 in ${settings.region}`}`;
  }

  async save(
    runId: number,
    attempt: number,
    name: ResultFileName,
    content: Readable,
    expected: ExpectedContent,
  ): Promise<void> {
    content.on('error', () => undefined);
    const target = this.object(runId, attempt, name);
    const checked = new ContentCheck(name, expected);
    // An object appears when its upload is complete, so only if the check passed its end.
    const upload = new Upload({
      client: this.client,
      params: { ...target, Body: checked, ContentLength: expected.size },
      partSize: this.settings.partBytes,
      queueSize: PARTS_AT_ONCE,
    });
    const [, uploaded] = await Promise.allSettled([pipeline(content, checked), upload.done()]);
    if (uploaded.status === 'fulfilled') return;
    // Either the content failed, or the store did and stopped reading.
    throw uploaded.reason === checked.errored
      ? uploaded.reason
      : new StoreUnavailable(this.where, uploaded.reason);
  }

  async open(
    runId: number,
    attempt: number,
    name: ResultFileName,
    range?: ByteRange,
  ): Promise<StoredFile | null> {
    const Range = range && `bytes=${range.start}-${range.end}`;
    const request = new GetObjectCommand({ ...this.object(runId, attempt, name), Range });
    const response = await this.withTimeout((abortSignal) =>
      this.client.send(request, { abortSignal }),
    ).catch((error: unknown) => {
      if (error instanceof NoSuchKey) return null;
      throw new StoreUnavailable(this.where, error);
    });
    if (!response) return null;
    const { Body: body, ContentLength, ContentRange, LastModified: modified } = response;
    const size = range ? sizeIn(ContentRange, range) : ContentLength;
    if (!(body instanceof Readable)) throw new StoreUnavailable(this.where, 'it answered without content');
    if (size !== undefined && modified) {
      const bytesMax = range ? range.end - range.start + 1 : size;
      return { size, modified, content: limitContent(body, this.where, bytesMax) };
    }
    body.destroy();
    throw new StoreUnavailable(
      this.where,
      `it answered ${Range ?? 'a read'} with ${ContentRange ?? 'no range'}`,
    );
  }

  async remove(runId: number, attempt: number): Promise<void> {
    const requests = RESULT_FILES.map((name) => new DeleteObjectCommand(this.object(runId, attempt, name)));
    await this.wrapErrors(() =>
      Promise.all(
        requests.map((request) =>
          this.withTimeout((abortSignal) => this.client.send(request, { abortSignal })),
        ),
      ),
    );
  }

  async removeFiles(files: NamedFile[]): Promise<void> {
    const keys = files.map(({ runId, attempt, name }) => this.object(runId, attempt, name).Key);
    for (let from = 0; from < keys.length; from += REMOVED_PER_REQUEST) {
      const Objects = keys.slice(from, from + REMOVED_PER_REQUEST).map((Key) => ({ Key }));
      const request = new DeleteObjectsCommand({
        Bucket: this.settings.bucket,
        Delete: { Objects, Quiet: true },
      });
      const { Errors: errors = [] } = await this.wrapErrors(() =>
        this.withTimeout((abortSignal) => this.client.send(request, { abortSignal })),
      );
      const [error] = errors;
      if (error) throw new StoreUnavailable(this.where, `${error.Key}: ${error.Code} ${error.Message ?? ''}`);
    }
  }

  /** Keys come sorted, so the keys of an attempt are next to each other. */
  async *list(): AsyncGenerator<StoredNames> {
    const { bucket, prefix } = this.settings;
    let attempt = null as StoredNames | null;
    let after: string | undefined;
    let [last, emptyPages] = ['', 0];
    do {
      const request = new ListObjectsV2Command({
        Bucket: bucket,
        Prefix: prefix,
        ContinuationToken: after,
        MaxKeys: NAMES_PER_PAGE,
      });
      const page = await this.wrapErrors(() =>
        this.withTimeout((abortSignal) => this.client.send(request, { abortSignal })),
      );
      for (const { Key = '', LastModified: modified } of page.Contents ?? []) {
        const file = fileAt(Key.slice(prefix.length));
        if (!file || !modified) continue;
        if (attempt?.runId === file.runId && attempt.attempt === file.attempt) {
          if (!attempt.names.includes(file.name)) attempt.names.push(file.name);
          if (modified > attempt.modified) attempt.modified = modified;
          continue;
        }
        if (attempt) yield attempt;
        attempt = { runId: file.runId, attempt: file.attempt, names: [file.name], modified };
      }
      after = page.NextContinuationToken;
      // Otherwise the list of a server that repeats itself would never end.
      const latest = page.Contents?.at(-1)?.Key;
      emptyPages = latest === undefined ? emptyPages + 1 : 0;
      const isStuck = latest === undefined ? emptyPages > EMPTY_PAGES_MAX : !isAfter(latest, last);
      if (after !== undefined && isStuck)
        throw new StoreUnavailable(this.where, `its list does not go on after ${last || 'its beginning'}`);
      last = latest ?? last;
    } while (after !== undefined);
    if (attempt) yield attempt;
  }

  /** A client cannot know a limit of a bucket. */
  space(): Promise<null> {
    return Promise.resolve(null);
  }

  private async wrapErrors<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    try {
      return await question();
    } catch (error) {
      throw new StoreUnavailable(this.where, error);
    }
  }

  override close(): void {
    this.client.destroy();
  }

  /** All tries of a request together have one time limit: a client would not wait longer. */
  private async withTimeout<Answer>(send: (giveUp: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const { answerTimeoutMs } = this.settings;
    const giveUp = new AbortController();
    const silent = new Error(`it did not answer within ${answerTimeoutMs} ms`);
    const timer = setTimeout(() => giveUp.abort(silent), answerTimeoutMs);
    try {
      return await send(giveUp.signal);
    } catch (error) {
      throw giveUp.signal.aborted ? silent : error;
    } finally {
      clearTimeout(timer);
    }
  }

  private object(runId: number, attempt: number, name: ResultFileName): { Bucket: string; Key: string } {
    return {
      Bucket: this.settings.bucket,
      Key: `${this.settings.prefix}${storedPath({ runId, attempt, name })}`,
    };
  }
}

/** Whether a key comes after another one in a bucket's order. */
function isAfter(key: string, earlier: string): boolean {
  return Buffer.compare(Buffer.from(key), Buffer.from(earlier)) > 0;
}

function clientOf(settings: S3Settings, credentials: S3Credentials): S3Client {
  const agent = { keepAlive: true, maxSockets: settings.connectionsMax };
  const client = new S3Client({
    ...(settings.endpoint !== undefined && { endpoint: settings.endpoint }),
    region: settings.region,
    forcePathStyle: settings.pathStyle,
    credentials,
    maxAttempts: TRIES_MAX,
    // Every server supports the checksum that signs a request, but not all support newer ones.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: settings.connectTimeoutMs,
      requestTimeout: settings.answerTimeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: settings.idleTimeoutMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
  boundAnswers(client, settings.answerBytesMax);
  return client;
}

/**
 * The size of the whole file from the answer to a request for this range; undefined when the answer has another range.
 */
function sizeIn(contentRange: string | undefined, { start, end }: ByteRange): number | undefined {
  const [, part, size] = /^bytes (\d+-\d+)\/(\d+)$/.exec(contentRange ?? '') ?? [];
  return part === `${start}-${end}` ? Number(size) : undefined;
}
