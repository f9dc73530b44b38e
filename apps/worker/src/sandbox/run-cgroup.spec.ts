import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunCgroup } from './run-cgroup';
import type { RunUser } from './run-user';

const USER = { switched: false } as RunUser;
const LIMITS = { memoryBytesMax: 1024, processesMax: 7 };

let parent: string;
beforeEach(async () => (parent = await mkdtemp(join(tmpdir(), 'groups-'))));
afterEach(async () => rm(parent, { recursive: true }));

/** A group whose files are those that the kernel would show once its parent hands on controllers. */
async function plain(files: Record<string, string>): Promise<string> {
  await writeFile(join(parent, 'cgroup.subtree_control'), '');
  const group = join(parent, 'kept');
  await mkdir(group);
  for (const [name, text] of Object.entries(files)) await writeFile(join(group, name), text);
  return group;
}

it('limits nothing where there are no controllers, and says so', async () => {
  const group = await RunCgroup.createBelow(parent, '1-1', USER, LIMITS);
  expect(group).toMatchObject({ limitsMemory: false, limitsProcesses: false });
  await expect(group?.memoryKills()).resolves.toBeNull();
});

it('hands on no controller that nobody asked for', async () => {
  await writeFile(join(parent, 'cgroup.subtree_control'), '');
  const group = await RunCgroup.createBelow(parent, '1-1', USER, {});
  expect(group).toMatchObject({ limitsMemory: false, limitsProcesses: false });
  expect(await readFile(join(parent, 'cgroup.subtree_control'), 'utf8')).toBe('');
});

it('counts the processes that the kernel ended for want of memory', async () => {
  const group = RunCgroup.at(await plain({ 'memory.events': 'low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\n' }));
  await expect(group.memoryKills()).resolves.toBe(2);
});
