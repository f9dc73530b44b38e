import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from './server-process';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'server-process-'))));
afterEach(() => rm(folder, { recursive: true }));

/** @param cwd in which it is started */
const start = (program: string, cwd: string) =>
  startServer({
    name: 'Server',
    program,
    args: [],
    user: null,
    folder: cwd,
    logPath: join(folder, 'server.log'),
    isReady: () => Promise.resolve(false),
  });

it('a server that the system does not start fails for its reason', async () => {
  await expect(start('true', join(folder, 'nowhere'))).rejects.toThrow(
    'Server did not start (spawn setpriv ENOENT)',
  );
});

it('a server that ends at once fails with its exit code and what it has written', async () => {
  await expect(start(join(folder, 'nothing'), folder)).rejects.toThrow(
    /^Server did not start \(exit code 127\).*\n.*nothing: not found$/,
  );
});
