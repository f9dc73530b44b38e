import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { ShortageWatch } from './shortage-watch';

const MIB = 1024 * 1024;
const DISK_FULL = "the worker's disk was full";
const NOTHING = { machine: null, isFileSpaceFull: false, isMemoryUsedUp: false };
const silent = { log: () => undefined, warn: () => undefined };

/** A watch that finds the given values, one after the other and then the last again; `free`: of the run, of the disk. */
function makeWatch(free: [number | null, number][], kills: number[] = [0], atLimit = [0]) {
  const clock = new VirtualClock();
  let looks = 0;
  const next = (values: number[]) => (values.length > 1 ? values.shift() : values[0]) as number;
  const now = () => free[Math.min(looks, free.length - 1)] as [number | null, number];
  const sandbox = {
    freeBytes: () => Promise.resolve(now()[0]),
    memoryKills: () => Promise.resolve({ processes: next(kills), atLimit: next(atLimit) }),
  };
  const freeOnDisk = () => Promise.resolve(now()[1]).finally(() => (looks += 1));
  const watch = new ShortageWatch(sandbox, freeOnDisk, clock, silent);
  return { watch, looks: () => looks, pass: (ms: number) => clock.runUntil(clock.now() + ms) };
}

it('a shortage watch finds nothing when an attempt had enough', async () => {
  const { watch, pass, looks } = makeWatch([[400 * MIB, 400 * MIB]], [3]);
  await watch.start();
  await pass(1_000);
  expect(looks()).toBe(5);
  await expect(watch.result()).resolves.toEqual(NOTHING);
});

it.each<[string, [number | null, number][], string | null, boolean]>([
  ['of the run at its start', [[0, 400 * MIB]], null, true],
  [
    'of the run for a moment',
    [
      [400 * MIB, 400 * MIB],
      [4096, 400 * MIB],
      [400 * MIB, 400 * MIB],
    ],
    null,
    true,
  ],
  ['of the disk, once the run has ended', [[null, 0]], DISK_FULL, false],
  ['of both', [[0, 0]], DISK_FULL, true],
])('a shortage watch finds that there was no space %s', async (_when, free, machine, isFileSpaceFull) => {
  const { watch, pass } = makeWatch(free);
  await watch.start();
  await pass(1_000);
  await expect(watch.result()).resolves.toEqual({ ...NOTHING, machine, isFileSpaceFull });
});

it.each([
  [[3, 4], 'memory ran out, and the kernel ended 1 process'],
  [[0, 2], 'memory ran out, and the kernel ended 2 processes'],
])('a shortage watch counts the processes that the kernel ended meanwhile (%j)', async (kills, sentence) => {
  const { watch } = makeWatch([[null, 400 * MIB]], kills);
  await watch.start();
  await expect(watch.result()).resolves.toEqual({ ...NOTHING, machine: sentence });
});

it.each([
  ['the attempt', [0, 1], [0, 2], { ...NOTHING, isMemoryUsedUp: true }],
  ['the machine', [2, 3], [7, 7], { ...NOTHING, machine: 'memory ran out, and the kernel ended 1 process' }],
  ['none', [0, 0], [0, 2], NOTHING],
])('a shortage watch finds what had run out of memory: %s', async (_whose, kills, atLimit, shortage) => {
  const { watch } = makeWatch([[null, 400 * MIB]], kills, atLimit);
  await watch.start();
  await expect(watch.result()).resolves.toEqual(shortage);
});

it('a shortage watch does not look once it is stopped', async () => {
  const { watch, pass, looks } = makeWatch([[400 * MIB, 400 * MIB]]);
  await watch.start();
  watch.stop();
  await pass(10_000);
  expect(looks()).toBe(1);
});
