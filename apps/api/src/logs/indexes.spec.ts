import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { logIndexText, LogIndexer, type LogIndex } from '@proctor/result-files';
import { type ResultStore, StoreUnavailable } from '@proctor/store';
import { silenceLog } from '@test/support/silent-log';
import { apiConfiguration } from '@test/support/api-configuration';
import { Problem } from '../http/problem';
import { DamagedFile, Indexes, MADE_AT_ONCE_MAX, WAIT_MS } from './indexes';

silenceLog();

const { indexMs } = apiConfiguration().server;
const ATTEMPT = { runId: 1, attempt: 1 };

/** A store of these files, and how often each was opened. */
function storeOf(files: Record<string, Buffer | Error>) {
  const opened: string[] = [];
  const open = (_run: number, _attempt: number, name: string) => {
    opened.push(name);
    const content = files[name];
    if (content instanceof Error) return Promise.reject(content);
    return Promise.resolve(content ? { content: Readable.from([content]), size: content.length } : null);
  };
  const save = () => Promise.reject(new Error('read only'));
  return { store: { open, save } as unknown as ResultStore, opened };
}

it('a damaged log is read once, not at each look', async () => {
  const { store, opened } = storeOf({ 'log.gz': Buffer.from('no gzip') });
  const indexes = new Indexes(store, apiConfiguration());
  for (let look = 0; look < 3; look += 1)
    await expect(indexes.log(ATTEMPT, 7)).rejects.toBeInstanceOf(DamagedFile);
  expect(opened.filter((name) => name === 'log.gz')).toHaveLength(1);
});

it('a log is read again after the store was away', async () => {
  const files: Record<string, Buffer | Error> = { 'log.gz': new StoreUnavailable('away', new Error('away')) };
  const indexes = new Indexes(storeOf(files).store, apiConfiguration());
  await expect(indexes.log(ATTEMPT, 100)).rejects.toBeInstanceOf(StoreUnavailable);
  files['log.gz'] = gzipSync('a\nb\n');
  expect(await indexes.log(ATTEMPT, files['log.gz'].length)).toMatchObject({ lines: 2, bytes: 4 });
});

describe('a store that stops in the middle of a file', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  /** Sends this part of the file `name`, and nothing more. */
  function stalled(name: string, part: Buffer) {
    const contents: PassThrough[] = [];
    const open = (_run: number, _attempt: number, file: string) => {
      if (file !== name) return Promise.resolve(null);
      const content = new PassThrough();
      contents.push(content);
      content.write(part);
      return Promise.resolve({ content, size: 1_000 });
    };
    return { contents, indexes: new Indexes({ open } as unknown as ResultStore, apiConfiguration()) };
  }

  it('costs the time of an index, gives what was read, is closed, and is read again later', async () => {
    const gzip = gzipSync('a\nb\n'.repeat(100_000));
    const { contents, indexes } = stalled('log.gz', gzip.subarray(0, gzip.length - 20));
    const added = jest.spyOn(LogIndexer.prototype, 'add');
    const index = indexes.log(ATTEMPT, 1_000);
    while (added.mock.calls.length === 0) await new Promise(setImmediate);
    added.mockRestore();
    const closed = once(contents[0]!, 'close');
    await jest.advanceTimersByTimeAsync(indexMs);
    expect((await index).lines).toBeGreaterThan(1_000);
    await closed;
    await jest.advanceTimersByTimeAsync(60_000);
    void indexes.log(ATTEMPT, 1_000);
    while (contents.length === 1) await new Promise(setImmediate);
    await jest.advanceTimersByTimeAsync(indexMs);
  });

  it('keeps further readers waiting for a while, who are refused then', async () => {
    const { contents, indexes } = stalled('log.gz', gzipSync('a'));
    const others = Array.from({ length: MADE_AT_ONCE_MAX }, (_, attempt) =>
      indexes.log({ runId: 1, attempt }, 1_000),
    );
    while (contents.length < MADE_AT_ONCE_MAX) await new Promise(setImmediate);
    const rejection = expect(indexes.log({ runId: 2, attempt: 1 }, 1_000)).rejects.toBeInstanceOf(Problem);
    await jest.advanceTimersByTimeAsync(WAIT_MS);
    await rejection;
    await jest.advanceTimersByTimeAsync(indexMs);
    await Promise.all(others);
  });

  it('is not available if it stops in an index', async () => {
    const { contents, indexes } = stalled('log-index.json', Buffer.from('{'));
    const index = indexes.log(ATTEMPT, 1_000);
    const rejection = expect(index).rejects.toBeInstanceOf(StoreUnavailable);
    while (contents.length === 0) await new Promise(setImmediate);
    await jest.advanceTimersByTimeAsync(indexMs);
    await rejection;
    expect(contents[0]!.destroyed).toBe(true);
  });
});

it.each<[string, Partial<LogIndex>]>([
  ['more bytes than such a file can hold', { bytes: 4 * 1024 ** 3 }],
  [
    'blocks behind the end of the file',
    { blocks: [{ gzipOffset: 1_000, offset: 1, newlines: 0 }], bytes: 4 },
  ],
])('an index with %s is not believed', async (_what, change) => {
  const gzip = gzipSync('a\nb\n');
  const forged = { ...new LogIndexer(/(?!)/).end(), lines: 900, ...change };
  const files = { 'log.gz': gzip, 'log-index.json': Buffer.from(logIndexText(forged)) };
  expect(await new Indexes(storeOf(files).store, apiConfiguration()).log(ATTEMPT, gzip.length)).toMatchObject(
    {
      lines: 2,
      bytes: 4,
    },
  );
});
