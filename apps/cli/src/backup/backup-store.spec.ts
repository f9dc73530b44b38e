import { inParallel } from './backup-store';

/** A work that ends when the test says so. */
function works() {
  const begun: { each: number; end: () => void; fail: (error: Error) => void }[] = [];
  const work = (each: number): Promise<void> =>
    new Promise((end, fail) => void begun.push({ each, end, fail }));
  return { begun, work };
}

/** Everything that was begun has gone on. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('a file that fails while the next one is looked for fails the whole copy', async () => {
  const { begun, work } = works();
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
  begun[0]!.fail(new Error('the disk is full'));
  await settled();
  more!();
  await outcome;
  expect(begun.map(({ each }) => each)).toEqual([1]);
});

it('at most eight files are copied at a time, and all are', async () => {
  const { begun, work } = works();
  const all = Array.from({ length: 10 }, (_, place) => place);
  const copied = inParallel(
    (async function* () {
      yield* all;
      await Promise.resolve();
    })(),
    work,
  );
  await settled();
  expect(begun).toHaveLength(8);
  for (let place = 0; place < 10; place++) {
    await settled();
    begun[place]!.end();
  }
  await copied;
  expect(begun.map(({ each }) => each)).toEqual(all);
});
