import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { logTail } from './log-tail';

const tail = (text: string | Buffer, linesMax = 3) => logTail(Readable.from([gzipSync(text)]), linesMax);

it.each([
  ['', '', 0],
  ['one', 'one', 1],
  ['one\n', 'one', 1],
  ['1\n2\n3\n', '1\n2\n3', 3],
  ['1\n2\n3\n4', '2\n3\n4', 4],
  ['1\n\n\n\n', '\n\n', 4],
])('the tail of the log %j is %j', async (log, text, linesTotal) => {
  expect(await tail(log)).toMatchObject({ text, linesTotal });
});

it('the tail of a log leaves out terminal codes and what was overwritten', async () => {
  const { text } = await tail('\x1b[31mred\x1b[0m\r\n10%\r50%\r100%\nbell\x07\0\n');
  expect(text).toBe('red\n100%\nbell\ufffd\ufffd');
});

it('the tail of a log shows bytes that are no text as such', async () => {
  expect((await tail(Buffer.from([0x61, 0xff, 0x62]))).text).toBe('a\ufffdb');
});

it('the tail of a log holds little of one that is one endless line', async () => {
  const { text, linesTotal } = await tail('x'.repeat(5_000_000));
  expect(text.length).toBeLessThan(1_000_000);
  expect(linesTotal).toBe(1);
});

it('the tail of what is not gzip fails', async () => {
  await expect(logTail(Readable.from([Buffer.from('plain')]), 3)).rejects.toThrow('incorrect header check');
});
