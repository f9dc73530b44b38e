import { PassThrough, addAbortSignal } from 'node:stream';
import { TooFar } from './block-reader';
import { readWithin } from './read-within';

const MS = 10_000;

beforeEach(() =>
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] }),
);
afterEach(() => jest.useRealTimers());

async function read(content: (late: AbortSignal) => AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0;
  for await (const chunk of readWithin(MS, 'the file', content)) bytes += chunk.length;
  return bytes;
}

async function* chunks(count: number): AsyncGenerator<Buffer> {
  for (let chunk = 0; chunk < count; chunk += 1) yield await Promise.resolve(Buffer.from('x'));
}

it('a content is read to its end, and its timer ends with it', async () => {
  expect(await read(() => chunks(3))).toBe(3);
  expect(jest.getTimerCount()).toBe(0);
});

it('a content without an end is read until its time is over, though its chunks come without a pause', async () => {
  const rejection = expect(read(() => chunks(Infinity))).rejects.toThrow(
    new TooFar('the file was not read in 10000 ms'),
  );
  await jest.advanceTimersByTimeAsync(MS);
  await rejection;
});

it('a content that stops is closed when its time is over', async () => {
  const content = new PassThrough();
  content.write('x');
  const rejection = expect(read((late) => addAbortSignal(late, content))).rejects.toBeInstanceOf(TooFar);
  await jest.advanceTimersByTimeAsync(MS - 1);
  expect(content.destroyed).toBe(false);
  await jest.advanceTimersByTimeAsync(1);
  await rejection;
  expect(content.destroyed).toBe(true);
});

it('the error of a content stays its own, and a reader that stops early leaves no timer', async () => {
  const broken = async function* (): AsyncGenerator<Buffer> {
    yield* chunks(1);
    throw new Error('away');
  };
  await expect(read(broken)).rejects.toThrow('away');
  for await (const chunk of readWithin(MS, 'the file', () => chunks(2))) {
    expect(chunk).toHaveLength(1);
    break;
  }
  expect(jest.getTimerCount()).toBe(0);
});
