import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { Launcher, type LauncherProcess } from './launcher';

/** A launcher whose program says what the test says. */
function launcherOfTest() {
  const handle = { ref: () => undefined, unref: () => undefined };
  const [stdin, stdout] = [
    Object.assign(new PassThrough(), handle),
    Object.assign(new PassThrough(), handle),
  ];
  const child = Object.assign(new EventEmitter(), { stdin, stdout, ...handle });
  const launcher = new Launcher(() => child as unknown as LauncherProcess);
  return {
    launcher,
    child,
    say: (...lines: string[]) => stdout.write(lines.map((line) => `${line}\n`).join('')),
  };
}

it('a network that was prepared has ended when the launcher is gone, and one that was not up has a reason', async () => {
  const { launcher, child, say } = launcherOfTest();
  const [up, coming] = [launcher.prepareNetwork([]), launcher.prepareNetwork([])];
  say('1 connected');
  await up.connected;
  child.emit('exit');
  await Promise.all([up.ending, coming.ending, up.stop(), coming.stop()]);
  await expect(coming.connected).rejects.toThrow('slirp4netns: the launcher of sandboxes has ended');
});

it('a sandbox and its network have both ended when the launcher is gone', async () => {
  const { launcher, child, say } = launcherOfTest();
  const sandbox = launcher.launch([]);
  say('1 pid 7');
  expect(await sandbox.pid).toBe(7);
  const network = sandbox.connect([]);
  child.emit('exit');
  expect(await sandbox.ending).toEqual({ code: null });
  await network.stop();
  await expect(network.connected).rejects.toThrow('the launcher of sandboxes has ended');
});

it('a sandbox whose end is reported together with its first process gets no network', async () => {
  const { launcher, say } = launcherOfTest();
  const sandbox = launcher.launch([]);
  say('1 pid 7', '1 ended 3');
  expect(await sandbox.pid).toBe(7);
  expect(await sandbox.ending).toEqual({ code: 3 });
  expect(() => sandbox.connect([])).toThrow('the sandbox ended before it had a network');
});
