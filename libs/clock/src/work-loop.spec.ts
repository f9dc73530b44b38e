import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { WorkLoop } from '.';

const WAIT_MS = 1_000;
let clock: VirtualClock;
let steps: number[];
/** Ends the present step. */
let endStep: (() => void) | null;
let loop: WorkLoop;

beforeEach(() => {
  clock = new VirtualClock();
  steps = [];
  loop = new WorkLoop(clock, () => {
    steps.push(clock.now());
    return new Promise((resolve) => (endStep = () => resolve(WAIT_MS)));
  });
});

const settle = () => clock.runUntil(clock.now());

it('a step follows the one before it after its wait, and never runs beside it', async () => {
  loop.start();
  await clock.runUntil(5 * WAIT_MS);
  expect(steps).toEqual([0]);
  endStep!();
  await clock.runUntil(6 * WAIT_MS);
  expect(steps).toEqual([0, 6 * WAIT_MS]);
});

it('the first step comes after the wait of the start', async () => {
  loop.start(WAIT_MS);
  await clock.runUntil(WAIT_MS - 1);
  expect(steps).toEqual([]);
  await clock.runUntil(WAIT_MS);
  expect(steps).toEqual([WAIT_MS]);
});

it('a wake-up ends the wait; one that comes during a step begins the next step at once', async () => {
  loop.start();
  endStep!();
  await settle();
  loop.wake();
  await settle();
  expect(steps).toEqual([0, 0]);
  loop.wake();
  endStep!();
  await settle();
  expect(steps).toEqual([0, 0, 0]);
});

it('a stop ends pauses, waits for the present step, and no other begins', async () => {
  loop.start();
  const paused = loop.pause(WAIT_MS);
  let isOver = false;
  const stopped = loop.stop().then(() => (isOver = true));
  await paused;
  expect([loop.isStopped, isOver, clock.now()]).toEqual([true, false, 0]);
  endStep!();
  await stopped;
  await clock.runUntil(5 * WAIT_MS);
  expect(steps).toEqual([0]);
});
