import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { measureDiskUse, OutputWatch } from './output-watch';

const KIB = 1024;

let path: string;
let output: string;
let errors: string;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'output-watch-'));
  [output, errors] = [join(path, 'out'), join(path, 'errors')];
  await mkdir(join(output, 'artifacts'), { recursive: true });
  await writeFile(errors, '');
});
afterEach(async () => rm(path, { recursive: true }));

const silent = { log: () => undefined, warn: () => undefined };

/** The disk is looked at meanwhile, which takes time of its own. */
async function watched(runOutputBytesMax: number, work: (watch: OutputWatch) => Promise<void> | void) {
  const clock = new VirtualClock();
  const watch = new OutputWatch({ output, errors }, { runOutputBytesMax }, clock, silent);
  let calls = 0;
  watch.start(() => (calls += 1));
  await work(watch);
  return { watch, clock, calls: () => calls };
}

it('an output watch calls once when log, artifacts and standard error together are too much', async () => {
  const { watch, clock, calls } = await watched(200 * KIB, async () => {
    await writeFile(join(output, 'log'), Buffer.alloc(80 * KIB, 'x'));
    await appendFile(errors, Buffer.alloc(80 * KIB, 'x'));
    await writeFile(join(output, 'artifacts', 'one'), Buffer.alloc(80 * KIB, 'x'));
  });
  const exceeded = new Promise<void>((resolve) => {
    const look = () =>
      watch.isExceeded ? resolve() : void clock.runUntil(clock.now() + 250).then(() => setImmediate(look));
    look();
  });
  await exceeded;
  await clock.runUntil(clock.now() + 10_000);
  expect(calls()).toBe(1);
});

it.each([
  ['as soon as the disk has lost the room that was left', { bytes: 800 * KIB, files: 1_000 }, 500],
  ['as soon as there are as many new ones as may be', { bytes: 1_000 * KIB, files: 950 }, 500],
  ['after some seconds in any case', { bytes: 1_000 * KIB, files: 1_000 }, 5_250],
])('an output watch looks at the files %s', async (_when, later, exceededAtMs) => {
  const clock = new VirtualClock();
  let measurements = 0;
  const freeSpace = () =>
    Promise.resolve(measurements++ === 0 ? { bytes: 1_000 * KIB, files: 1_000 } : later);
  const settings = { runOutputBytesMax: 200 * KIB };
  const watch = new OutputWatch({ output, errors }, settings, clock, silent, freeSpace);
  const timers = jest.spyOn(clock, 'after');
  watch.start(() => undefined);
  while (!watch.isExceeded && clock.now() < 10_000) {
    const before = timers.mock.calls.length;
    await clock.runUntil(clock.now() + 250);
    // The files themselves are looked at, which takes time of its own.
    while (timers.mock.calls.length === before && !watch.isExceeded) await new Promise(setImmediate);
    if (measurements === 1) await writeFile(join(output, 'log'), Buffer.alloc(300 * KIB, 'x'));
  }
  watch.stop();
  expect([watch.isExceeded, clock.now()]).toEqual([true, exceededAtMs]);
});

it('an output watch does not call once it is stopped', async () => {
  await writeFile(join(output, 'log'), Buffer.alloc(80 * KIB, 'x'));
  const { watch, clock, calls } = await watched(KIB, (watch) => watch.stop());
  await clock.runUntil(10_000);
  expect([watch.isExceeded, calls()]).toEqual([false, 0]);
});

it('the disk use is that of the files, not of holes in them, nor of what links lead to', async () => {
  const before = await measureDiskUse([output]);
  await writeFile(join(output, 'log'), Buffer.alloc(80 * KIB, 'x'));
  await writeFile(join(output, 'sparse'), '');
  await truncate(join(output, 'sparse'), 1024 * KIB * KIB);
  await symlink('/usr', join(output, 'artifacts', 'usr'));
  const use = (await measureDiskUse([output, join(path, 'missing')])) - before;
  expect(use).toBeGreaterThanOrEqual(80 * KIB);
  expect(use).toBeLessThan(120 * KIB);
});

it('the disk use includes empty files, and only as many of them are read as needed', async () => {
  const names = Array.from({ length: 200 }, (_, number) => join(output, 'artifacts', `${number}`));
  await Promise.all(names.map((name) => writeFile(name, '')));
  expect(await measureDiskUse([output])).toBeGreaterThanOrEqual(200 * 4 * KIB);
  const some = await measureDiskUse([output], 100 * KIB);
  expect(some).toBeGreaterThan(100 * KIB);
  expect(some).toBeLessThan(200 * KIB);
});

it('the disk use includes a file whose name is no text', async () => {
  execFileSync('sh', [
    '-c',
    'head -c 100000 /dev/zero | tr "\\0" x >"$1/$(printf "odd-\\377")"',
    'sh',
    output,
  ]);
  expect(await measureDiskUse([output])).toBeGreaterThanOrEqual(100_000);
});
