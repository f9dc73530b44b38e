import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@proctor/clock';
import { VersionWatch } from './version-watch';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'version-'));
  file = join(folder, 'testpkg-version');
});
afterEach(async () => rm(folder, { recursive: true }));

/** A clock whose time passes at the test's word; `look` resolves when the watch has set its next alarm or is done. */
function makeWatch(rejected: string[]) {
  const alarms: { ms: number; action: () => void }[] = [];
  const onRejected = jest.fn();
  let settled = (): void => undefined;
  const clock: Clock = {
    now: () => 0,
    after: (ms, action) => {
      const alarm = { ms, action };
      alarms.push(alarm);
      settled();
      return () => void alarms.splice(alarms.indexOf(alarm), 1);
    },
  };
  const warn = jest.fn(() => settled());
  onRejected.mockImplementation(() => settled());
  const watch = new VersionWatch(folder, rejected, onRejected, clock, { log: warn, warn });
  const look = async (): Promise<void> => {
    const alarm = alarms.shift();
    if (!alarm) throw new Error('the watch no longer checks');
    expect(alarm.ms).toBeLessThanOrEqual(100);
    await new Promise<void>((resolve) => {
      settled = resolve;
      alarm.action();
    });
  };
  return { watch, alarms, onRejected, warn, look };
}

it('a version watch calls once when the version is a rejected one', async () => {
  const { watch, alarms, onRejected, look } = makeWatch(['1.0-1', '1:2.0']);
  watch.start();
  await look();
  expect(onRejected).not.toHaveBeenCalled();
  await writeFile(file, 'hello 1:2.0\n');
  await look();
  expect(onRejected).toHaveBeenCalledTimes(1);
  expect(alarms).toEqual([]);
});

it('a version watch waits for the end of the line', async () => {
  const { watch, onRejected, look } = makeWatch(['1.0']);
  await writeFile(file, 'hello 1.0');
  watch.start();
  await look();
  expect(onRejected).not.toHaveBeenCalled();
  await appendFile(file, '-1\n');
  const other = makeWatch(['1.0-1']);
  other.watch.start();
  await other.look();
  expect(other.onRejected).toHaveBeenCalledTimes(1);
  watch.stop();
});

it('a version watch does not look where nothing is rejected, nor after its end', async () => {
  const idle = makeWatch([]);
  idle.watch.start();
  expect(idle.alarms).toEqual([]);
  await writeFile(file, 'hello 1.0\n');
  const { watch, alarms, onRejected } = makeWatch(['1.0']);
  watch.start();
  watch.stop();
  expect(alarms).toEqual([]);
  expect(onRejected).not.toHaveBeenCalled();
});

it('a version watch reads no version from what is no plain file', async () => {
  await mkdir(file);
  const { watch, onRejected, alarms, look } = makeWatch(['1.0']);
  watch.start();
  await look();
  expect(onRejected).not.toHaveBeenCalled();
  expect(alarms).toHaveLength(1);
});
