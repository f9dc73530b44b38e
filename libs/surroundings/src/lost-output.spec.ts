import { Writable } from 'node:stream';
import { surviveLostOutput } from './lost-output';

/** As standard output: what an error has done to it is undone, and it goes on. */
function outputThat(take: (line: string) => Error | null): Writable {
  return new Writable({
    emitClose: false,
    write: (chunk: Buffer, _encoding, callback) => callback(take(chunk.toString())),
    destroy(error, callback) {
      callback(error);
      (this as unknown as { _undestroy: () => void })._undestroy();
    },
  });
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it.each(['ENOSPC', 'EPIPE', 'EIO', 'EAGAIN', 'EDQUOT', 'EBADF', 'ERR_STREAM_DESTROYED'])(
  'a line that cannot be written with %s is lost, and counted',
  async (code) => {
    const lines: string[] = [];
    let isFull = true;
    const output = outputThat((line) => {
      if (isFull) return Object.assign(new Error(code), { code });
      lines.push(line);
      return null;
    });
    surviveLostOutput(output);
    for (const line of ['one\n', 'two\n', 'three\n']) {
      output.write(line);
      await turn();
    }
    isFull = false;
    output.write('four\n');
    await turn();
    expect(lines).toEqual(['3 lines could not be written here\n', 'four\n']);
  },
);

it('unread output waits in memory up to a bound, and its writers go on', async () => {
  let release: () => void = () => undefined;
  const lengths: number[] = [];
  const output = new Writable({
    write: (chunk: Buffer, _encoding, callback) => {
      lengths.push(chunk.length);
      release = callback;
    },
  });
  surviveLostOutput(output);
  const line = Buffer.alloc(64 * 1024, 'x');
  const called: unknown[] = [];
  for (let count = 0; count < 100; count += 1) output.write(line, () => called.push(count));
  await turn();
  expect(output.writableLength).toBeLessThan(1.2 * 1024 ** 2);
  const before = called.length;
  expect(before).toBeGreaterThan(80);
  while (output.writableLength > 0) {
    release();
    await turn();
  }
  expect(called).toHaveLength(100);
  output.write('next\n');
  expect(lengths.at(-1)).toBe(`${before} lines could not be written here\n`.length);
});

it('with PROCTOR_LOG=json also the line about lost lines is an object', async () => {
  const before = process.env['PROCTOR_LOG'];
  process.env['PROCTOR_LOG'] = 'json';
  const lines: string[] = [];
  let isFull = true;
  const output = outputThat((line) => {
    lines.push(line);
    return isFull ? new Error('full') : null;
  });
  try {
    surviveLostOutput(output);
    output.write('one\n');
    await turn();
    isFull = false;
    output.write('two\n');
    expect(JSON.parse(lines[1]!)).toMatchObject({
      level: 'warn',
      message: '1 lines could not be written here',
    });
  } finally {
    if (before === undefined) delete process.env['PROCTOR_LOG'];
    else process.env['PROCTOR_LOG'] = before;
  }
});
