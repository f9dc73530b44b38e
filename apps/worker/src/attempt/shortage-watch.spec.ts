import { VirtualClock } from '../../../../test/simulation/world/virtual-clock';
import { ShortageWatch } from './shortage-watch';

const MIB = 1024 * 1024;
const AREA_FULL = 'the file space of the run was full';
const silent = { log: () => undefined, warn: () => undefined };

/** A watch that finds the given values, one after the other and then the last again; `free`: of the run, of the disk. */
function makeWatch(free: [number | null, number][], kills: number[] = [0]) {
  const clock = new VirtualClock();
  let looks = 0;
  const now = () => free[Math.min(looks, free.length - 1)] as [number | null, number];
  const sandbox = {
    freeBytes: () => Promise.resolve(now()[0]),
    memoryKills: () => Promise.resolve((kills.length > 1 ? kills.shift() : kills[0]) as number),
  };
  const freeOnDisk = () => Promise.resolve(now()[1]).finally(() => (looks += 1));
  const watch = new ShortageWatch(sandbox, freeOnDisk, clock, silent);
  return { watch, looks: () => looks, pass: (ms: number) => clock.runUntil(clock.now() + ms) };
}

it('says nothing of an attempt that had enough', async () => {
  const { watch, pass, looks } = makeWatch([[400 * MIB, 400 * MIB]], [3]);
  await watch.start();
  await pass(1_000);
  expect(looks()).toBe(5);
  await expect(watch.stop()).resolves.toBeNull();
});

it.each<[string, [number | null, number][], string]>([
  ['at its start', [[0, 400 * MIB]], AREA_FULL],
  [
    'for a moment',
    [
      [400 * MIB, 400 * MIB],
      [4096, 400 * MIB],
      [400 * MIB, 400 * MIB],
    ],
    AREA_FULL,
  ],
  ['with the disk, once it has ended', [[null, 0]], "the worker's disk was full"],
  ['with the disk too', [[0, 0]], `${AREA_FULL}; the worker's disk was full`],
])('tells that there was no space %s', async (_when, free, sentence) => {
  const { watch, pass } = makeWatch(free);
  await watch.start();
  await pass(1_000);
  await expect(watch.stop()).resolves.toBe(sentence);
});

it.each([
  [[3, 4], 'memory ran out, and the kernel ended 1 process'],
  [[0, 2], 'memory ran out, and the kernel ended 2 processes'],
])('counts what the kernel ended meanwhile (%j)', async (kills, sentence) => {
  const { watch } = makeWatch([[null, 400 * MIB]], kills);
  await watch.start();
  await expect(watch.stop()).resolves.toBe(sentence);
});

it('looks no more once it is stopped', async () => {
  const { watch, pass, looks } = makeWatch([[400 * MIB, 400 * MIB]]);
  await watch.start();
  await watch.stop();
  await pass(10_000);
  expect(looks()).toBe(1);
});
