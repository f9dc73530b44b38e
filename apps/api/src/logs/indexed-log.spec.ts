import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { blockGzip, contentFrom, LogIndexer, TooFar, type LogIndex } from '@proctor/result-files';
import { LINE_BYTES_MAX } from './line-reader';
import { pieces } from './run-logs';
import { IndexedLog } from './indexed-log';

const LIMITS = { lines: 10, bytes: 1_000_000 };
const HITS = 3;
const TIMES = { logReadMs: 60_000, logSearchMs: 60_000 };
const SHORT = { logReadMs: 20, logSearchMs: 20 };

/** @param isForeign its worker made no blocks */
async function stored(text: string, isForeign = false, change: Partial<LogIndex> = {}): Promise<IndexedLog> {
  const indexer = new LogIndexer(/error/);
  const chunks: Buffer[] = [];
  const content = Readable.from([Buffer.from(text)]);
  for await (const chunk of blockGzip(content, (bytes, block) => indexer.add(bytes, block)))
    chunks.push(chunk);
  const gzip = isForeign ? gzipSync(text) : Buffer.concat(chunks);
  const index = indexer.end();
  const open = (at: number) => Promise.resolve(Readable.from([gzip.subarray(at)]));
  const otherIndex = { ...index, ...(isForeign ? { blocks: [] } : {}), ...change };
  return new IndexedLog(otherIndex, (offset) => contentFrom(open, otherIndex.blocks, offset), TIMES);
}

const LINES = Array.from({ length: 100_000 }, (_, n) => `line ${n + 1}`);
const LONG = LINES.join('\n');

describe.each([
  ['in blocks', false],
  ['as a foreign worker made it', true],
])('a log that is kept %s', (_how, isForeign) => {
  let long: IndexedLog;

  beforeAll(async () => {
    long = await stored(LONG, isForeign);
  });

  it.each([1, 2, 30_001, 50_000, 99_995, 100_000])('is read from line %i on', async (first) => {
    const lines = await long.lines(first, LIMITS);
    expect(lines.map(({ number, text }) => [number, text])).toEqual(
      LINES.slice(first - 1, first + 9).map((text, at) => [first + at, text]),
    );
  });

  it('has no line after its last', async () => {
    expect(await long.lines(100_001, LIMITS)).toEqual([]);
    expect(await (await stored('a\n', isForeign)).lines(1, LIMITS)).toEqual([
      { number: 1, text: 'a', bytes: 1 },
    ]);
    expect(await (await stored('', isForeign)).lines(1, LIMITS)).toEqual([]);
  });

  it('is searched as a whole, or up to a number of hits', async () => {
    const { hits, cutAt } = await long.search('LINE 9999', 1, HITS);
    expect(hits.map(({ line, text }) => [line, text])).toEqual([
      [9_999, 'line 9999'],
      [99_990, 'line 99990'],
      [99_991, 'line 99991'],
    ]);
    expect(cutAt).toBe(99_992);
    const rest = await long.search('LINE 9999', cutAt!, 100);
    expect(rest.hits.map(({ line }) => line)).toEqual(
      LINES.flatMap((l, n) => (n >= 99_991 && l.includes('line 9999') ? [n + 1] : [])),
    );
    expect(rest.cutAt).toBeNull();
  });
});

it('of a long line the beginning is kept, and its length is known', async () => {
  const [first, second] = await (
    await stored(`${'x'.repeat(1_000_000)}\nnext`)
  ).lines(1, { lines: 2, bytes: 2_000_000 });
  expect([first!.bytes, first!.text.length, second!.text]).toEqual([1_000_000, LINE_BYTES_MAX, 'next']);
});

it('no more is read than was asked for, whatever the index says', async () => {
  const log = await stored('x'.repeat(5_000_000), false, { lines: 1, blocks: [] });
  const [line] = await log.lines(1, { lines: 10, bytes: 100_000 });
  expect(line!.bytes).toBeLessThan(500_000);
});

it('a text is found in a line of a megabyte, and shown with what is around it', async () => {
  const log = await stored(`${'x'.repeat(1_000_000)}needle${'y'.repeat(1_000_000)}\nneedle`);
  const { hits } = await log.search('needle', 1, HITS);
  expect(hits.map(({ line }) => line)).toEqual([1, 2]);
  expect(hits[0]!.text).toMatch(/^x{200}needley{194}$/);
});

it('letters beyond ASCII are found as they are', async () => {
  expect((await (await stored('a\nÜmläut √\n')).search('ümläut √', 1, HITS)).hits).toHaveLength(0);
  expect((await (await stored('a\nÜmläut √\n')).search('Ümläut √', 1, HITS)).hits).toEqual([
    { line: 2, text: 'Ümläut √' },
  ]);
  // Its bytes differ from those of Á in a bit that separates small letters of Latin 1 from capital ones.
  expect((await (await stored('\u3041\n')).search('Á', 1, HITS)).hits).toHaveLength(0);
});

async function* inTurn(all: unknown[]): AsyncGenerator<unknown> {
  for (const each of all) yield await Promise.resolve(each);
}

it('of a live log each byte is read once, whatever a worker publishes', async () => {
  const chunk = (offset: unknown, text: string) => ({
    chunk: 0,
    offset,
    data: Buffer.from(text).toString('base64'),
  });
  const published = [
    null,
    5,
    'abc',
    [],
    chunk(0, 'abc'),
    chunk(0, 'abc'),
    chunk(2, 'cd'),
    chunk(-5, 'zzz'),
    chunk('x', 'zzz'),
    {},
    { offset: 4, data: 7 },
    { ...chunk(4, 'words'), isNote: true },
    chunk(9, 'j'),
  ];
  const texts: string[] = [];
  for await (const { offset, data, isNote } of pieces(inTurn(published) as never, 1))
    texts.push(`${offset}${isNote ? ' note' : ''} ${data.toString()}`);
  expect(texts).toEqual(['1 bc', '3 d', '4 note words', '9 j']);
});

it('a read of a place that is never reached is given up, and a search returns what it has found', async () => {
  const zeros = Buffer.alloc(64 * 1024);
  const endless = async function* (): AsyncGenerator<Buffer> {
    for (;;) yield await Promise.resolve(zeros);
  };
  const index = { ...new LogIndexer(/(?!)/).end(), bytes: 4 * 1024 ** 3, lines: 900_000_000 };
  const log = new IndexedLog(index, endless, SHORT);
  await expect(log.lines(900_000_000, LIMITS)).rejects.toBeInstanceOf(TooFar);
  await expect(log.wholeLine(900_000_000, 1_000)).rejects.toBeInstanceOf(TooFar);
  expect(await log.search('x', 1, HITS)).toEqual({ hits: [], cutAt: 1 });
});

it('a read ends in time where the store stops in the middle of a file, and the file is closed', async () => {
  const contents: PassThrough[] = [];
  const open = () => {
    const content = new PassThrough();
    content.write(gzipSync('x\n'.repeat(100_000)).subarray(0, 100));
    contents.push(content);
    return Promise.resolve(content);
  };
  const index = { ...new LogIndexer(/(?!)/).end(), bytes: 200_000, lines: 100_000 };
  const log = new IndexedLog(index, (offset, signal) => contentFrom(open, [], offset, { signal }), SHORT);
  await expect(log.lines(90_000, LIMITS)).rejects.toBeInstanceOf(TooFar);
  await expect(log.wholeLine(90_000, 1_000)).rejects.toBeInstanceOf(TooFar);
  expect((await log.search('y', 1, HITS)).cutAt).toEqual(expect.any(Number));
  expect(contents.map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
});
