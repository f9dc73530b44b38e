import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { logIndexText, LogIndexer, type LogIndex } from '@proctor/result-files';
import { type ResultStore, StoreUnavailable } from '@proctor/store';
import { apiConfiguration } from '@test/support/api-configuration';
import { DamagedFile, Indexes } from './indexes';

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
  const put = () => Promise.reject(new Error('read only'));
  return { store: { open, put } as unknown as ResultStore, opened };
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
