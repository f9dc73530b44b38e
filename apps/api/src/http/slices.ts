/** Work that may pause at each `yield`. */
export type SlicedWork<Result> = Generator<void, Result, void>;

/** How long a slice of work blocks the event loop, in milliseconds. */
export const SLICE_MS = 5;

const waiting: (() => void)[] = [];

/** Does all work now; for work that is known to be short. */
export function atOnce<Result>(steps: SlicedWork<Result>): Result {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/**
 * Does the work in slices, so that other work does not wait for all of it. In each turn of the event loop the process
 * runs only one slice, so that many long requests together block no longer than one.
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

/** Items that are handled between two pauses, where each of them takes some microseconds. */
const ITEMS_AT_ONCE = 500;

/** Handles each item, with pauses. */
export function* handleEach<Item>(items: Iterable<Item>, handle: (item: Item) => void): SlicedWork<void> {
  let count = 0;
  for (const item of items) {
    handle(item);
    count += 1;
    if (count % ITEMS_AT_ONCE === 0) yield;
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(next);
  });
}

/** The first work continues now, the others in later turns. */
function next(): void {
  const first = waiting.shift();
  if (waiting.length > 0) setImmediate(next);
  first?.();
}
