/** Work that may rest at each `yield`. */
export type SlicedWork<Result> = Generator<void, Result, void>;

/** How long one piece of work keeps the event loop, milliseconds. */
const SLICE_MS = 5;

const waiting: (() => void)[] = [];

/** Does all of it now: for work that is known to be short. */
export function atOnce<Result>(steps: SlicedWork<Result>): Result {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/**
 * Does the work in slices, so that others do not wait for the whole. Of all such work in the process one
 * slice is done in a turn of the event loop: many long requests together block it no longer than one.
 */
export async function inSlices<Result>(steps: SlicedWork<Result>): Promise<Result> {
  for (;;) {
    const until = performance.now() + SLICE_MS;
    let step = steps.next();
    while (!step.done && performance.now() < until) step = steps.next();
    if (step.done) return step.value;
    await turn();
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(next);
  });
}

/** The first goes on, the others in later turns. */
function next(): void {
  const first = waiting.shift();
  if (waiting.length > 0) setImmediate(next);
  first?.();
}
