import { inSlices, type SlicedWork } from './slices';

/** Takes about a millisecond of the processor at each step. */
function* work(steps: number, onStep: () => void): SlicedWork<number> {
  for (let step = 0; step < steps; step += 1) {
    for (const until = performance.now() + 1; performance.now() < until;);
    onStep();
    yield;
  }
  return steps;
}

it('long work lets others have the event loop, and much of it at a time no more than one', async () => {
  let inThisTurn = 0;
  let mostInOneTurn = 0;
  let turns = 0;
  let isOver = false;
  const watch = (): void => {
    turns += 1;
    mostInOneTurn = Math.max(mostInOneTurn, inThisTurn);
    inThisTurn = 0;
    if (!isOver) setImmediate(watch);
  };
  const all = [];
  watch();
  // Each begins at once; what is seen from here on is how they go on.
  for (let count = 0; count < 5; count += 1) all.push(inSlices(work(40, () => (inThisTurn += 1))));
  inThisTurn = 0;
  expect(await Promise.all(all)).toEqual([40, 40, 40, 40, 40]);
  isOver = true;
  expect(turns).toBeGreaterThan(30);
  // A slice has some five steps of a millisecond.
  expect(mostInOneTurn).toBeLessThanOrEqual(6);
});

it('all who wait for the work get its error', async () => {
  function* failing(): SlicedWork<void> {
    yield;
    throw new Error('spoiled');
  }
  await expect(inSlices(failing())).rejects.toThrow('spoiled');
});
