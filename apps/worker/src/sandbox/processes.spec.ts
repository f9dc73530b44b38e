import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { identify, isRunning, killProcess } from './processes';

it('a process has an identity until it ends', async () => {
  const child = spawn('sleep', ['1000']);
  await once(child, 'spawn');
  const identity = identify(child.pid as number);
  if (!identity) throw new Error('there is no such process');
  expect(isRunning(identity)).toBe(true);
  const exit = once(child, 'exit');
  await killProcess(identity);
  expect(await exit).toEqual([null, 'SIGKILL']);
  expect(isRunning(identity)).toBe(false);
  expect(identify(child.pid as number)).toBeNull();
});

it('a later process with the same id is left alone', async () => {
  const identity = identify(process.pid);
  if (!identity) throw new Error('there is no such process');
  await killProcess({ ...identity, startTicks: '1' });
  await killProcess({ ...identity, bootId: 'another boot' });
  expect(isRunning(identity)).toBe(true);
});
