import { createHash, randomBytes, randomInt } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ResultFileName } from '@proctor/contracts';
import { StoreMismatch, StoreUnavailable, type ByteRange } from '@proctor/store';
import { SEVERAL_PARTS_BYTES, type StoreServer } from './store/server';

const expected = (bytes: Buffer) => ({
  size: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

/** In chunks as a network brings them. */
const streamOf = (bytes: Buffer) =>
  Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += 60_000) yield bytes.subarray(at, at + 60_000);
    })(),
  );

/** What every ResultStore keeps, whatever it keeps its files in. */
export function describeStore(name: string, start: () => Promise<StoreServer>, patienceMs?: number): void {
  describe(`${name} as a ResultStore`, () => {
    let server: StoreServer;
    let run: number;

    beforeAll(async () => {
      server = await start();
    }, patienceMs);
    beforeEach(() => (run = randomInt(1, 2 ** 40)));
    afterAll(() => server?.close());

    const put = (bytes: Buffer, content = streamOf(bytes), file: ResultFileName = 'log.gz') =>
      server.store.save(run, 2, file, content, expected(bytes));
    const readFile = async (file: ResultFileName = 'log.gz', range?: ByteRange) =>
      buffer((await server.store.open(run, 2, file, range))!.content);
    const names = async () => (await server.names()).filter((each) => each.includes(`/${run}/`));
    const place = () => `${Math.floor(run / 1000)}/${run}/2`;

    it.each([
      ['empty', 0],
      ['small', 300_000],
      ['large', SEVERAL_PARTS_BYTES],
      ['large and odd', SEVERAL_PARTS_BYTES + 1],
    ])('a store keeps a file that is %s, under its run and attempt', async (_, size) => {
      const bytes = randomBytes(size);
      await put(bytes);
      const stored = await server.store.open(run, 2, 'log.gz');
      expect(stored?.size).toBe(size);
      expect(Math.abs(Date.now() - stored!.modified.getTime())).toBeLessThan(60_000);
      expect((await buffer(stored!.content)).equals(bytes)).toBe(true);
      expect(await names()).toEqual([`${place()}/log.gz`]);
    });

    it.each([
      ['within', { start: 3, end: 5 }],
      ['of one byte at its begin', { start: 0, end: 0 }],
      ['up to its end', { start: 7, end: 9 }],
      ['over all of it', { start: 0, end: 9 }],
    ])('a store opens a range %s, both ends included', async (_, range) => {
      await put(Buffer.from('0123456789'));
      const stored = await server.store.open(run, 2, 'log.gz', range);
      expect(stored?.size).toBe(10);
      expect((await buffer(stored!.content)).toString()).toBe('0123456789'.slice(range.start, range.end + 1));
    });

    it('a store opens a range over the parts of a large file', async () => {
      const bytes = randomBytes(SEVERAL_PARTS_BYTES);
      await put(bytes, undefined, 'artifacts.tar.gz');
      const range = { start: 5_000_000, end: 17_000_000 };
      const part = await readFile('artifacts.tar.gz', range);
      expect(part.equals(bytes.subarray(range.start, range.end + 1))).toBe(true);
    });

    it('a store gives many readers what they ask for, though some go away', async () => {
      const bytes = randomBytes(2_000_000);
      await put(bytes);
      const readers = Array.from({ length: 40 }, async (_unused, index) => {
        const { content } = (await server.store.open(run, 2, 'log.gz'))!;
        if (index % 2 === 0) return content.destroy();
        expect((await buffer(content)).equals(bytes)).toBe(true);
      });
      await Promise.all(readers);
    });

    it('a store replaces a file', async () => {
      await put(Buffer.from('old'));
      await put(Buffer.from('new'));
      expect((await readFile()).toString()).toBe('new');
      expect(await names()).toHaveLength(1);
    });

    const whole = Buffer.from('abcdef');
    const large = randomBytes(SEVERAL_PARTS_BYTES);
    it.each([
      ['too short', whole, Buffer.from('abc'), '3 of 6 bytes came'],
      ['too long', whole, Buffer.from('abcdefgh'), 'more than 6 bytes came'],
      ['of other bytes', whole, Buffer.from('abcdeX'), 'its SHA-256 is'],
      ['large and too short', large, large.subarray(1), `${large.length - 1} of ${large.length} bytes came`],
      ['large and too long', large, Buffer.concat([large, whole]), `more than ${large.length} bytes came`],
      [
        'large and of other bytes',
        large,
        Buffer.concat([large.subarray(1), large.subarray(0, 1)]),
        'SHA-256',
      ],
    ])(
      'a store refuses content that is %s and leaves nothing behind',
      async (_, announced, came, message) => {
        const putting = put(announced, streamOf(came));
        await expect(putting).rejects.toThrow(StoreMismatch);
        await expect(putting).rejects.toThrow(message);
        expect(await names()).toEqual([]);
        expect(await server.store.open(run, 2, 'log.gz')).toBeNull();
      },
    );

    it('a store keeps the earlier file when new content is refused or breaks off', async () => {
      await put(whole);
      await expect(put(large, streamOf(large.subarray(1)))).rejects.toThrow(StoreMismatch);
      const broken = Readable.from(
        (function* () {
          yield large.subarray(0, large.length - 1);
          throw new Error('the connection is gone');
        })(),
      );
      await expect(put(large, broken)).rejects.toThrow('the connection is gone');
      const early = new Readable({ read: () => undefined });
      const putting = put(whole, early);
      early.destroy(new Error('gone at once'));
      await expect(putting).rejects.toThrow('gone at once');
      expect(await names()).toHaveLength(1);
      expect((await readFile()).toString()).toBe('abcdef');
    });

    it('a store takes only the names of result files and positive numbers', async () => {
      const escape = '../../escape' as ResultFileName;
      await expect(put(whole, undefined, escape)).rejects.toThrow('not the name of a result file');
      await expect(server.store.open(run, 2, escape)).rejects.toThrow('not the name of a result file');
      for (const id of [0, -1, 1.5, Number.NaN])
        await expect(server.store.remove(id, 1)).rejects.toThrow('not the number');
    });

    it('a store has no file where none was kept, and removes an attempt as a whole', async () => {
      expect(await server.store.open(run, 2, 'log.gz')).toBeNull();
      await put(Buffer.from('a'));
      await put(Buffer.from('b'), undefined, 'artifacts.tar.gz');
      await server.store.save(run, 3, 'log.gz', streamOf(whole), expected(whole));
      await server.store.remove(run, 2);
      await server.store.remove(run, 2);
      expect(await server.store.open(run, 2, 'log.gz')).toBeNull();
      expect(await names()).toEqual([`${place().replace(/2$/, '3')}/log.gz`]);
    });

    it('a store lists what it keeps, and removes single files of many attempts', async () => {
      for (const [attempt, file] of [
        [2, 'log.gz'],
        [2, 'log-index.json'],
        [2, 'artifacts.tar.gz'],
        [13, 'log.gz'],
      ] as const)
        await server.store.save(run, attempt, file, streamOf(whole), expected(whole));
      const listed = async () => {
        const entries = [];
        for await (const each of server.store.list()) if (each.runId === run) entries.push(each);
        return entries.sort((a, b) => a.attempt - b.attempt);
      };
      const [second, thirteenth] = await listed();
      expect(second!.names.sort()).toEqual(['artifacts.tar.gz', 'log-index.json', 'log.gz']);
      expect(Math.abs(Date.now() - second!.modified.getTime())).toBeLessThan(60_000);
      expect(thirteenth).toMatchObject({ runId: run, attempt: 13, names: ['log.gz'] });
      const one = { runId: run, attempt: 2 };
      const absent = Array.from({ length: 2_500 }, (_unused, at) => ({
        ...one,
        attempt: 100 + at,
        name: 'log.gz' as const,
      }));
      await server.store.removeFiles([
        { ...one, name: 'log.gz' },
        ...absent,
        { ...one, name: 'log-index.json' },
      ]);
      expect((await listed()).map(({ attempt, names: remainingNames }) => [attempt, remainingNames])).toEqual(
        [
          [2, ['artifacts.tar.gz']],
          [13, ['log.gz']],
        ],
      );
      await server.store.removeFiles([
        { ...one, name: 'artifacts.tar.gz' },
        { ...one, attempt: 13, name: 'log.gz' },
      ]);
      expect(await listed()).toEqual([]);
      await server.store.removeFiles([]);
    });

    describe('outage', () => {
      afterEach(() => server.mend());

      it('a store that is out of reach says so, takes nothing, and is well again afterwards', async () => {
        await put(whole);
        await server.cut();
        await expect(server.store.open(run, 2, 'log.gz')).rejects.toThrow(StoreUnavailable);
        const content = streamOf(large);
        await expect(put(large, content, 'artifacts.tar.gz')).rejects.toThrow(StoreUnavailable);
        expect(content.destroyed).toBe(true);
        await expect(server.store.remove(run, 2)).rejects.toThrow(StoreUnavailable);
        const removing = server.store.removeFiles([{ runId: run, attempt: 2, name: 'log.gz' }]);
        await expect(removing).rejects.toThrow(StoreUnavailable);
        await server.mend();
        expect((await readFile()).toString()).toBe('abcdef');
        await put(large, undefined, 'artifacts.tar.gz');
        expect((await readFile('artifacts.tar.gz')).equals(large)).toBe(true);
      });
    });
  });
}
