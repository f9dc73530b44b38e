import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ResultFileName } from '@proctor/contracts';
import { FolderStore } from './folder-store';
import { StoreMismatch } from './result-store';

let path: string;
let store: FolderStore;

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'proctor-store-'));
  store = new FolderStore(path);
});
afterEach(() => rm(path, { recursive: true, force: true }));

const expected = (bytes: Buffer) => ({
  size: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});
const put = (bytes: Buffer, content: Readable = Readable.from([bytes]), name: ResultFileName = 'log.gz') =>
  store.put(1234, 2, name, content, expected(bytes));
const files = async () =>
  (await readdir(path, { recursive: true, withFileTypes: true }))
    .filter((each) => each.isFile())
    .map((each) => each.name);

it('keeps a file under its run and attempt', async () => {
  const bytes = randomBytes(300_000);
  await put(bytes, Readable.from([bytes.subarray(0, 100_000), bytes.subarray(100_000)]));
  expect(await readdir(join(path, '1', '1234', '2'))).toEqual(['log.gz']);
  const stored = await store.open(1234, 2, 'log.gz');
  expect(stored?.size).toBe(300_000);
  expect(Math.abs(Date.now() - stored!.modified.getTime())).toBeLessThan(60_000);
  expect((await buffer(stored!.content)).equals(bytes)).toBe(true);
});

it('keeps an empty file', async () => {
  await put(Buffer.alloc(0), Readable.from([]));
  const stored = await store.open(1234, 2, 'log.gz');
  expect(stored?.size).toBe(0);
  expect(await buffer(stored!.content)).toHaveLength(0);
});

it('opens a range, both ends included', async () => {
  await put(Buffer.from('0123456789'));
  const stored = await store.open(1234, 2, 'log.gz', { start: 3, end: 5 });
  expect(stored?.size).toBe(10);
  expect((await buffer(stored!.content)).toString()).toBe('345');
});

it('replaces a file', async () => {
  await put(Buffer.from('old'));
  await put(Buffer.from('new'));
  const stored = await store.open(1234, 2, 'log.gz');
  expect((await buffer(stored!.content)).toString()).toBe('new');
  expect(await files()).toEqual(['log.gz']);
});

it.each([
  ['too short', 'abc', '3 of 6 bytes came'],
  ['too long', 'abcdefgh', 'more than 6 bytes came'],
  ['other bytes', 'abcdeX', 'its SHA-256 is'],
])('refuses content that is %s and leaves nothing behind', async (_what, came, message) => {
  const putting = put(Buffer.from('abcdef'), Readable.from([Buffer.from(came)]));
  await expect(putting).rejects.toThrow(StoreMismatch);
  await expect(putting).rejects.toThrow(message);
  expect(await files()).toEqual([]);
});

it('keeps the earlier file when new content is refused or breaks off', async () => {
  await put(Buffer.from('abcdef'));
  await expect(put(Buffer.from('abcdef'), Readable.from([Buffer.from('x')]))).rejects.toThrow(StoreMismatch);
  const broken = new Readable({ read: () => undefined });
  const putting = put(Buffer.from('abcdef'), broken);
  broken.destroy(new Error('the connection is gone'));
  await expect(putting).rejects.toThrow('the connection is gone');
  expect(await files()).toEqual(['log.gz']);
  expect((await buffer((await store.open(1234, 2, 'log.gz'))!.content)).toString()).toBe('abcdef');
});

it('takes only the names of result files and positive numbers', async () => {
  const bytes = Buffer.from('x');
  const name = '../../escape' as ResultFileName;
  await expect(put(bytes, Readable.from([bytes]), name)).rejects.toThrow('not the name of a result file');
  await expect(store.open(1234, 2, name)).rejects.toThrow('not the name of a result file');
  for (const id of [0, -1, 1.5, Number.NaN])
    await expect(store.remove(id, 1)).rejects.toThrow('not the number');
  expect(await files()).toEqual([]);
});

it('has no file where none was kept, and removes an attempt as a whole', async () => {
  expect(await store.open(1234, 2, 'log.gz')).toBeNull();
  await put(Buffer.from('a'));
  await put(Buffer.from('b'), undefined, 'artifacts.tar.gz');
  await store.put(1234, 3, 'log.gz', Readable.from([Buffer.from('c')]), expected(Buffer.from('c')));
  await store.remove(1234, 2);
  await store.remove(1234, 2);
  expect(await store.open(1234, 2, 'log.gz')).toBeNull();
  expect(await files()).toEqual(['log.gz']);
  expect(await readdir(join(path, '1', '1234'))).toEqual(['3']);
});
