import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopProcess, findServers } from './left-over';
import { isRunning } from './process-identity';

describe('servers', () => {
  let folder: string;
  let server: ChildProcess;
  const isServer = (_name: string, args: string[]): boolean => args.includes('the-server');
  const servers = (path = folder) => findServers({ folder: path, isServer });

  /** A process that works in the folder, once it said that it runs. */
  const serve = async (source: string, cwd = folder, args = ['the-server']): Promise<void> => {
    const program = `${source}; console.log('up'); setInterval(() => {}, 1e6)`;
    server = spawn(process.execPath, ['-e', program, ...args], { cwd });
    await once(server.stdout!, 'data');
  };

  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'left-over-'))));
  afterEach(async () => {
    server?.kill('SIGKILL');
    await rm(folder, { recursive: true });
  });

  it('a server left over is found by the folder that it works in, by whatever path, and ended', async () => {
    await serve('');
    const link = `${folder}/link`;
    await symlink(folder, link);
    expect(servers(link).map(({ pid }) => pid)).toEqual([server.pid]);
    const [first] = servers();
    await stopProcess(first!, 'SIGTERM', 10_000);
    expect(isRunning(first!)).toBe(false);
    expect(servers()).toEqual([]);
  });

  it('a server left over is killed when it does not end in time', async () => {
    await serve("process.on('SIGTERM', () => {})");
    const [first] = servers();
    await stopProcess(first!, 'SIGTERM', 50);
    expect(isRunning(first!)).toBe(false);
  });

  it('who has started the other processes of a server is ended first', async () => {
    const options = "{ stdio: 'ignore' }";
    await serve(
      `const { spawn } = require('node:child_process');
       spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)', 'the-server'], ${options})`,
    );
    const [first, second, ...others] = servers();
    expect([first?.pid, second?.pid !== undefined, others]).toEqual([server.pid, true, []]);
    await stopProcess(second!, 'SIGKILL', 10_000);
  });

  it('another program in the folder, and the same program in another one, are no servers of it', async () => {
    await serve('', folder, ['another']);
    expect(servers()).toEqual([]);
    server.kill('SIGKILL');
    await mkdir(join(folder, 'other'));
    await serve('', join(folder, 'other'));
    expect(servers()).toEqual([]);
    expect(servers(join(folder, 'absent'))).toEqual([]);
  });
});
