import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endProcess, findLeftOver } from './left-over';
import { isRunning } from './process-identity';

describe('servers', () => {
  let folder: string;
  let pidFile: string;
  let server: ChildProcess;

  /** A process with `folder` among its arguments, once it said that it runs. */
  const serve = async (source: string): Promise<void> => {
    server = spawn(process.execPath, [
      '-e',
      `${source}; console.log('up'); setInterval(() => {}, 1e6)`,
      folder,
    ]);
    await once(server.stdout!, 'data');
    await writeFile(pidFile, `${server.pid}\nmore lines\n`);
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'left-over-'));
    pidFile = join(folder, 'pid');
  });
  afterEach(async () => {
    server?.kill('SIGKILL');
    await rm(folder, { recursive: true });
  });

  it('a server left over is found by its pid file and its command line, and ended', async () => {
    await serve('');
    const found = await findLeftOver(pidFile, folder);
    expect(found?.pid).toBe(server.pid);
    await endProcess(found!, 'SIGTERM', 10_000);
    expect(isRunning(found!)).toBe(false);
  });

  it('a server left over is killed when it does not end in time', async () => {
    await serve("process.on('SIGTERM', () => {})");
    const found = await findLeftOver(pidFile, folder);
    await endProcess(found!, 'SIGTERM', 50);
    expect(isRunning(found!)).toBe(false);
  });

  it('no server is left over when the pid belongs to another program, to no process, or there is no pid file', async () => {
    await serve('');
    expect(await findLeftOver(pidFile, '/another/folder')).toBeNull();
    await writeFile(pidFile, `${2 ** 22 + 1}\n`);
    expect(await findLeftOver(pidFile, folder)).toBeNull();
    await writeFile(pidFile, '');
    expect(await findLeftOver(pidFile, folder)).toBeNull();
    expect(await findLeftOver(join(folder, 'absent'), folder)).toBeNull();
  });
});
