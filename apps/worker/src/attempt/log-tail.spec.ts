import { EventEmitter, once } from 'node:events';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogChunk } from '@proctor/contracts';
import { systemClock } from '@proctor/clock';
import { LogTail } from './log-tail';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'log-tail-'));
  path = join(folder, 'log');
});
afterEach(async () => rm(folder, { recursive: true }));

const SETTINGS = { pollMs: 1, chunkBytesMax: 4, streamBytesMax: 1000, finishTimeoutMs: 60_000 };

function makeTail(append: (chunk: LogChunk) => Promise<void> = () => Promise.resolve(), settings = SETTINGS) {
  const chunks: LogChunk[] = [];
  const waiting: { text: string; resolve: () => void }[] = [];
  const warnings: string[] = [];
  const sentText = () => chunks.map(({ data }) => Buffer.from(data, 'base64').toString()).join('');
  const keep = async (chunk: LogChunk) => {
    await append(chunk);
    chunks.push(chunk);
    waiting.filter(({ text }) => sentText().includes(text)).forEach(({ resolve }) => resolve());
  };
  const log = { log: () => undefined, warn: (line: string) => void warnings.push(line) };
  const tail = new LogTail(path, keep, systemClock, log, settings);
  const until = (text: string) => new Promise<void>((resolve) => waiting.push({ text, resolve }));
  return { tail, chunks, read: sentText, until, warnings };
}

it('a log that appears and grows is published in numbered chunks', async () => {
  const { tail, chunks, read: sentText, until } = makeTail();
  tail.start();
  const first = until('one');
  await writeFile(path, 'line one\n');
  await first;
  const second = until('two');
  await appendFile(path, 'line two\n');
  await second;
  await appendFile(path, 'the end');
  await tail.complete();
  expect(sentText()).toBe('line one\nline two\nthe end');
  let offset = 0;
  for (const [number, chunk] of chunks.entries()) {
    expect(chunk).toMatchObject({ chunk: number, offset });
    offset += Buffer.from(chunk.data, 'base64').length;
    expect(Buffer.from(chunk.data, 'base64').length).toBeLessThanOrEqual(4);
  }
});

it('a chunk that could not be sent is sent again, and the worker warns of it once', async () => {
  let failures = 3;
  const {
    tail,
    read: sentText,
    warnings,
    until,
  } = makeTail(() => (failures-- > 0 ? Promise.reject(new Error('disconnected')) : Promise.resolve()));
  await writeFile(path, '0123456789');
  const all = until('0123456789');
  tail.start();
  await all;
  await tail.complete();
  expect(sentText()).toBe('0123456789');
  expect(warnings).toHaveLength(1);
});

it('a chunk whose answer was lost is sent again with the same bytes, though the log has grown meanwhile', async () => {
  const stream = new Map<number, LogChunk>();
  let losses = 1;
  const { tail, until } = makeTail(
    async (chunk) => {
      // As the stream does: it drops a number that it has already.
      if (!stream.has(chunk.chunk)) stream.set(chunk.chunk, chunk);
      if (losses-- <= 0) return;
      await appendFile(path, 'BBBBCCCC');
      throw new Error('no acknowledgement');
    },
    { ...SETTINGS, chunkBytesMax: 8 },
  );
  await writeFile(path, 'AAAA');
  const all = until('CCCC');
  tail.start();
  await all;
  await tail.complete();
  const chunks = [...stream.values()];
  expect(chunks.map(({ data }) => Buffer.from(data, 'base64').toString()).join('')).toBe('AAAABBBBCCCC');
  expect(chunks.map(({ chunk, offset }) => [chunk, offset])).toEqual([
    [0, 0],
    [1, 4],
  ]);
});

it('a log tail holds up the end of an attempt for a limited time', async () => {
  const sends = new EventEmitter<{ begun: [] }>();
  const never = () => new Promise<void>(() => void sends.emit('begun'));
  const { tail, chunks } = makeTail(never, { ...SETTINGS, finishTimeoutMs: 1 });
  await writeFile(path, '0123456789');
  const start = once(sends, 'begun');
  tail.start();
  await start;
  await tail.complete();
  expect(chunks).toEqual([]);
});

it('a log tail sends nothing more once it is stopped, and then nothing is on its way', async () => {
  const sends = new EventEmitter<{ begun: []; done: [] }>();
  const { tail, chunks } = makeTail(async () => {
    sends.emit('begun');
    await once(sends, 'done');
  });
  await writeFile(path, '0123456789');
  const start = once(sends, 'begun');
  tail.start();
  await start;
  const stopped = tail.stop();
  sends.emit('done');
  await stopped;
  expect(chunks.map(({ chunk }) => chunk)).toEqual([0]);
});

it('a log that is longer than what is streamed ends with a note about it', async () => {
  const { tail, read: sentText, chunks } = makeTail(undefined, { ...SETTINGS, streamBytesMax: 5 });
  await writeFile(path, '0123456789');
  tail.start();
  await tail.complete();
  expect(sentText()).toBe('01234\n[the live log ends here, after 5 bytes]\n');
  // A reader that goes on in the stored log begins where the bytes of the log end.
  expect(chunks.map(({ offset, isNote = false }) => [offset, isNote])).toEqual([
    [0, false],
    [4, false],
    [5, true],
  ]);
});

it('a log that is just as long as what is streamed ends without a note', async () => {
  const { tail, read: sentText, until } = makeTail(undefined, { ...SETTINGS, streamBytesMax: 10 });
  await writeFile(path, '0123456789');
  const all = until('0123456789');
  tail.start();
  await all;
  await tail.complete();
  expect(sentText()).toBe('0123456789');
});

it('every byte of a log is published as it is', async () => {
  const { tail, chunks } = makeTail();
  const bytes = Buffer.concat([
    Buffer.from('a\r\nb\0\xff\n', 'latin1'),
    Buffer.from('no newline √').subarray(0, -1),
  ]);
  await writeFile(path, bytes);
  tail.start();
  await tail.complete();
  expect(Buffer.concat(chunks.map(({ data }) => Buffer.from(data, 'base64')))).toEqual(bytes);
});

it('a log tail finishes without a log', async () => {
  const { tail, chunks } = makeTail();
  tail.start();
  await tail.complete();
  expect(chunks).toEqual([]);
});
