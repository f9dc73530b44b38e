import { createHash, randomBytes } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  CreateBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  type MaintainedStore,
  openStore,
  storedPath,
  StoreUnavailable,
  type ResultStore,
  type S3Settings,
} from '@proctor/store';
import { linkTo, type CuttableLink } from '@test/support/cuttable-link';
import { S3Server } from '@test/support/s3-server';
import { describeStore } from '../store.contract';
import { SEVERAL_PARTS_BYTES, type StoreServer } from './server';

const BUCKET = 'results';
const PREFIX = 'ci/';

let server: S3Server;
let link: CuttableLink;
let admin: S3Client;
const opened: ResultStore[] = [];

beforeAll(async () => {
  server = await S3Server.start();
  link = await linkTo(server.endpoint);
  const { endpoint, credentials } = server;
  admin = new S3Client({ endpoint, credentials, region: 'us-east-1', forcePathStyle: true });
  await admin.send(new CreateBucketCommand({ Bucket: BUCKET }));
});
afterAll(async () => {
  admin?.destroy();
  opened.forEach((store) => store.close());
  await link?.cut();
  await server?.stop();
});

const settings = (changes: Partial<S3Settings> = {}): S3Settings => ({
  kind: 's3',
  endpoint: link.url,
  region: 'us-east-1',
  bucket: BUCKET,
  prefix: PREFIX,
  pathStyle: true,
  connectionsMax: 50,
  connectTimeoutMs: 5_000,
  answerTimeoutMs: 20_000,
  idleTimeoutMs: 20_000,
  answerBytesMax: 1024 * 1024,
  partBytes: 5 * 1024 * 1024,
  ...changes,
});

const open = async (changes: Partial<S3Settings> = {}, credentials = server.credentials) => {
  const store = await openStore(settings(changes), () => credentials);
  opened.push(store);
  return store;
};

/** The names of all objects and of incomplete uploads. */
async function names(): Promise<string[]> {
  const objects = await admin.send(new ListObjectsV2Command({ Bucket: BUCKET }));
  const uploads = await admin.send(new ListMultipartUploadsCommand({ Bucket: BUCKET }));
  const keys = [...(objects.Contents ?? []), ...(uploads.Uploads ?? [])].map(({ Key = '' }) => Key);
  return keys.map((key) => (key.startsWith(PREFIX) ? key.slice(PREFIX.length) : `no prefix: ${key}`));
}

let isCut = false;

async function cut(): Promise<void> {
  await link.cut();
  isCut = true;
}

async function mend(): Promise<void> {
  if (isCut) await link.mend();
  isCut = false;
}

async function startS3(): Promise<StoreServer> {
  const store = await open();
  return { store, names, cut, mend, close: () => Promise.resolve() };
}

describeStore('a bucket', startS3);

describe('a bucket', () => {
  const large = randomBytes(SEVERAL_PARTS_BYTES);
  const announced = { size: large.length, sha256: createHash('sha256').update(large).digest('hex') };

  afterEach(mend);

  it('a bucket that breaks off while it takes a file is out of reach; the file is not there', async () => {
    const store = await open();
    const content = new PassThrough();
    const putting = store.save(77, 1, 'artifacts.tar.gz', content, announced);
    const rejection = expect(putting).rejects.toThrow(StoreUnavailable);
    content.write(large.subarray(0, large.length - 1));
    await cut();
    content.end(large.subarray(large.length - 1));
    await rejection;
    await mend();
    expect(await store.open(77, 1, 'artifacts.tar.gz')).toBeNull();
    await store.save(77, 1, 'artifacts.tar.gz', PassThrough.from([large]), announced);
    expect((await buffer((await store.open(77, 1, 'artifacts.tar.gz'))!.content)).equals(large)).toBe(true);
  });

  it('a bucket that breaks off while it is read is out of reach', async () => {
    const store = await open();
    await store.save(78, 1, 'artifacts.tar.gz', PassThrough.from([large]), announced);
    const { content } = (await store.open(78, 1, 'artifacts.tar.gz'))!;
    await cut();
    await expect(buffer(content)).rejects.toThrow(StoreUnavailable);
  });

  it.each<[string, Partial<S3Settings>, string]>([
    ['is not there', { bucket: 'never-created' }, 'the bucket never-created of http://127.0.0.1'],
    ['is nowhere', { endpoint: 'http://127.0.0.1:1' }, 'ECONNREFUSED'],
  ])('a bucket that %s is out of reach', async (_, changes, message) => {
    const store = await open(changes);
    await expect(store.open(1, 1, 'log.gz')).rejects.toThrow(StoreUnavailable);
    await expect(store.open(1, 1, 'log.gz')).rejects.toThrow(message);
  });

  it('an error of a bucket does not contain the keys that were refused', async () => {
    const secret = 'not-the-right-one';
    const store = await open({}, { ...server.credentials, secretAccessKey: secret });
    const error: unknown = await store.open(1, 1, 'log.gz').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(String(error)).toContain('SignatureDoesNotMatch');
    expect(String(error)).not.toContain(secret);
  });

  it('a bucket that receives a request and never answers is out of reach, after as long as one answer may take', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    try {
      const store = await open({ endpoint: `http://127.0.0.1:${port}`, answerTimeoutMs: 300 });
      const message = 'is not available: it did not answer within 300 ms';
      await expect(store.open(1, 1, 'log.gz')).rejects.toThrow(message);
      await expect(store.remove(1, 1)).rejects.toThrow(message);
    } finally {
      sockets.forEach((socket) => socket.destroy());
      silent.close();
    }
  });

  describe('a server that answers without an end', () => {
    const ERRORS = 'more than 65536 bytes';
    const file = { size: 1, sha256: createHash('sha256').update('x').digest('hex') };

    /** Runs the work against a store whose server sends this over and over, as an answer with that status and these headers. */
    async function against<T>(
      [status, headers, part]: [number, Record<string, string>, string],
      work: (store: MaintainedStore) => Promise<T>,
    ): Promise<T> {
      const endless = createHttpServer((request, response) => {
        request.resume();
        response.writeHead(status, { 'content-type': 'application/xml', ...headers });
        const more = () => {
          while (response.write(part.repeat(1_000)));
        };
        response.on('drain', more);
        more();
      });
      await new Promise<void>((resolve) => void endless.listen(0, '127.0.0.1', resolve));
      try {
        const { port } = endless.address() as AddressInfo;
        return await work(await open({ endpoint: `http://127.0.0.1:${port}` }));
      } finally {
        endless.closeAllConnections();
        endless.close();
      }
    }

    const list = async (store: MaintainedStore) => {
      for await (const { names } of store.list()) expect(names).toEqual([]);
    };
    const openFile = (store: MaintainedStore) => store.open(1, 1, 'log.gz');

    it.each<[string, number, (store: MaintainedStore) => Promise<unknown>, string]>([
      ['a list', 200, list, 'more than 1048576 bytes'],
      ['an error of a list', 500, list, ERRORS],
      ['an error of a file', 403, openFile, ERRORS],
      ['a file that is not there', 404, openFile, ERRORS],
      ['a removal', 205, (store) => store.remove(1, 1), 'more than 1048576 bytes'],
      [
        'removals',
        200,
        (store) => store.removeFiles([{ runId: 1, attempt: 1, name: 'log.gz' }]),
        'more than 1048576 bytes',
      ],
      [
        'an upload',
        200,
        (store) => store.save(1, 1, 'log.gz', PassThrough.from(['x']), file),
        'more than 1048576 bytes',
      ],
    ])('%s is out of reach', async (_, status, work, message) => {
      const answer: [number, Record<string, string>, string] = [status, {}, '<a>b</a>'];
      await expect(against(answer, work)).rejects.toThrow(StoreUnavailable);
      await expect(against(answer, work)).rejects.toThrow(message);
    });

    it('a part of a file has no more bytes than were asked for', async () => {
      const headers = { 'content-range': 'bytes 0-9/100', 'last-modified': new Date(0).toUTCString() };
      await against([206, headers, 'abc'], async (store) => {
        const { content } = (await store.open(1, 1, 'log.gz', { start: 0, end: 9 }))!;
        await expect(buffer(content)).rejects.toThrow('it sent more than 10 bytes');
      });
    });
  });

  it('what a server says in an error is shortened', async () => {
    const wordy = createHttpServer((_request, response) => {
      response.writeHead(403, { 'content-type': 'application/xml' });
      response.end(`<Error><Code>AccessDenied</Code><Message>${'no '.repeat(10_000)}</Message></Error>`);
    });
    await new Promise<void>((resolve) => void wordy.listen(0, '127.0.0.1', resolve));
    try {
      const store = await open({ endpoint: `http://127.0.0.1:${(wordy.address() as AddressInfo).port}` });
      const error: unknown = await store.open(1, 1, 'log.gz').catch((reason: unknown) => reason);
      expect(String(error)).toContain('AccessDenied');
      expect(String(error).length).toBeLessThan(1_000);
    } finally {
      wordy.closeAllConnections();
      wordy.close();
    }
  });

  it.each([
    [
      'repeats one key on each page',
      '<Contents><Key>ci/KEY</Key><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>',
    ],
    // EMPTY_PAGES_MAX of them are nothing strange.
    ['has pages without keys', ''],
  ])('a list without an end, which %s, is given up', async (_, contents) => {
    const page = contents.replace('KEY', storedPath({ runId: 1, attempt: 1, name: 'log.gz' }));
    const endless = createHttpServer((_request, response) => {
      response.setHeader('content-type', 'application/xml');
      response.end(
        `<ListBucketResult><IsTruncated>true</IsTruncated>${page}<NextContinuationToken>t</NextContinuationToken></ListBucketResult>`,
      );
    });
    await new Promise<void>((resolve) => void endless.listen(0, '127.0.0.1', resolve));
    try {
      const store = await open({ endpoint: `http://127.0.0.1:${(endless.address() as AddressInfo).port}` });
      const listing = async () => {
        for await (const { names } of store.list()) expect(names).toEqual(['log.gz']);
      };
      await expect(listing()).rejects.toThrow('its list does not go on');
    } finally {
      endless.closeAllConnections();
      endless.close();
    }
  });

  it('a bucket that has no free connection says so in time', async () => {
    const store = await open({ connectionsMax: 1, connectTimeoutMs: 200 });
    await store.save(79, 1, 'artifacts.tar.gz', PassThrough.from([large]), announced);
    const { content } = (await store.open(79, 1, 'artifacts.tar.gz'))!;
    await expect(store.open(79, 1, 'artifacts.tar.gz')).rejects.toThrow(StoreUnavailable);
    content.destroy();
  });
});
