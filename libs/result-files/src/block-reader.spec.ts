import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { contentFrom, TooFar } from './block-reader';

const GZIP = gzipSync(Buffer.alloc(32 * 1024 * 1024));

/** @returns also the files that were opened */
function opener() {
  const opened: Readable[] = [];
  const open = (at: number): Promise<Readable> => {
    const file = Readable.from([GZIP.subarray(at)]);
    opened.push(file);
    return Promise.resolve(file);
  };
  return { open, opened };
}

it('what is too far from where reading can begin is given up', async () => {
  const { open, opened } = opener();
  const content = contentFrom(open, [], 31_000_000, { skipMs: 0 });
  await expect(content.next()).rejects.toBeInstanceOf(TooFar);
  expect(opened.map(({ destroyed }) => destroyed)).toEqual([true]);
});

it('reading ends with its signal, also before it has brought anything', async () => {
  const { open, opened } = opener();
  const departure = new AbortController();
  const content = contentFrom(open, [], 10, { signal: departure.signal });
  expect((await content.next()).done).toBe(false);
  departure.abort(new Error('gone'));
  await expect(
    (async () => {
      for await (const chunk of content) expect(chunk.length).toBeGreaterThan(0);
    })(),
  ).rejects.toThrow('gone');
  await expect(contentFrom(open, [], 0, { signal: departure.signal }).next()).rejects.toThrow('gone');
  expect(opened.map(({ destroyed }) => destroyed)).toEqual([true]);
});

it('a file that is opened after the signal is closed at once', async () => {
  const { open, opened } = opener();
  const departure = new AbortController();
  const opening = (at: number) => {
    departure.abort(new Error('gone'));
    return open(at);
  };
  await expect(contentFrom(opening, [], 0, { signal: departure.signal }).next()).rejects.toThrow('gone');
  expect(opened.map(({ destroyed }) => destroyed)).toEqual([true]);
});
