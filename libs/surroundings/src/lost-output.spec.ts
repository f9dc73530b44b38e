import { Writable } from 'node:stream';
import { surviveLostOutput } from './lost-output';

/** As standard output: what an error has done to it is undone, and it goes on. */
function outputThat(take: (line: string) => Error | null): Writable {
  return new Writable({
    emitClose: false,
    write: (chunk: Buffer, _encoding, done) => done(take(chunk.toString())),
    destroy(error, done) {
      done(error);
      (this as unknown as { _undestroy: () => void })._undestroy();
    },
  });
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it.each(['ENOSPC', 'EPIPE', 'EIO', 'EAGAIN', 'EDQUOT', 'EBADF', 'ERR_STREAM_DESTROYED'])(
  'a line that cannot be written with %s is lost, and counted',
  async (code) => {
    const written: string[] = [];
    let isFull = true;
    const output = outputThat((line) => {
      if (isFull) return Object.assign(new Error(code), { code });
      written.push(line);
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
    expect(written).toEqual(['3 lines could not be written here\n', 'four\n']);
  },
);

it('unread output waits in memory up to a bound, and its writers go on', async () => {
  let done: () => void = () => undefined;
  const written: number[] = [];
  const output = new Writable({
    write: (chunk: Buffer, _encoding, taken) => {
      written.push(chunk.length);
      done = taken;
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
    done();
    await turn();
  }
  expect(called).toHaveLength(100);
  output.write('next\n');
  expect(written.at(-1)).toBe(`${before} lines could not be written here\n`.length);
});

it('with PROCTOR_LOG=json also the line about lost lines is an object', async () => {
  const before = process.env['PROCTOR_LOG'];
  process.env['PROCTOR_LOG'] = 'json';
  const written: string[] = [];
  let isFull = true;
  const output = outputThat((line) => {
    written.push(line);
    return isFull ? new Error('full') : null;
  });
  try {
    surviveLostOutput(output);
    output.write('one\n');
    await turn();
    isFull = false;
    output.write('two\n');
    expect(JSON.parse(written[1]!)).toMatchObject({
      level: 'warn',
      message: '1 lines could not be written here',
    });
  } finally {
    if (before === undefined) delete process.env['PROCTOR_LOG'];
    else process.env['PROCTOR_LOG'] = before;
  }
});
