import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@test/support/until';
import { processesWaitingForPipes } from './waiting-processes';

let folder: string;
let shell: ChildProcess;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waiting-'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
});
afterEach(async () => {
  const exit = once(shell, 'exit');
  // The whole group: the shell's child waits for ever.
  process.kill(-shell.pid!, 'SIGKILL');
  await exit;
  await rm(folder, { recursive: true });
});

it('a process that opens a pipe without another end is found below the one that began it, and no other', async () => {
  shell = spawn('sh', ['-c', 'sleep 1000 & sed p pipe; true'], {
    cwd: folder,
    detached: true,
    stdio: 'ignore',
  });
  const waitingProcesses = () => processesWaitingForPipes(shell.pid!);
  expect(await until(async () => (await waitingProcesses()).length > 0)).toBe(true);
  expect((await waitingProcesses()).map(({ command }) => command)).toEqual([['sed', 'p', 'pipe']]);
  expect(await processesWaitingForPipes((await waitingProcesses())[0]!.pid)).toEqual([]);
});
