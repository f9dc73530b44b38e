import { inParallel } from './backup-store';

/** A work that ends when the test says so. */
function works() {
  const starts: { each: number; end: () => void; fail: (error: Error) => void }[] = [];
  const work = (each: number): Promise<void> =>
    new Promise((end, fail) => void starts.push({ each, end, fail }));
  return { starts, work };
}

/** Everything that was begun has gone on. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('a file that fails while the next one is looked for fails the whole copy', async () => {
  const { starts, work } = works();
  let more: (() => void) | undefined;
  async function* files(): AsyncGenerator<number> {
    yield 1;
    await new Promise<void>((resolve) => (more = resolve));
    yield 2;
    yield 3;
  }
  const copied = inParallel(files(), work);
  const outcome = expect(copied).rejects.toThrow('the disk is full');
  await settled();
  starts[0]!.fail(new Error('the disk is full'));
  await settled();
  more!();
  await outcome;
  expect(starts.map(({ each }) => each)).toEqual([1]);
});

it('at most eight files are copied at a time, and all are', async () => {
  const { starts, work } = works();
  const all = Array.from({ length: 10 }, (_, place) => place);
  const copied = inParallel(
    (async function* () {
      yield* all;
      await Promise.resolve();
    })(),
    work,
  );
  await settled();
  expect(starts).toHaveLength(8);
  for (let place = 0; place < 10; place++) {
    await settled();
    starts[place]!.end();
  }
  await copied;
  expect(starts.map(({ each }) => each)).toEqual(all);
});
