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

it('a control group limits nothing where there are no controllers, and says so', async () => {
  const group = new RunCgroup(join(parent, '1-1'));
  await group.create(USER, LIMITS);
  expect(group).toMatchObject({ limitsMemory: false, limitsProcesses: false });
  expect(group.memoryKills()).toBeNull();
  await group.remove();
  await expect(readFile(group.path)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('a limit that a control group should have and cannot set is an error', async () => {
  const group = new RunCgroup(join(parent, '1-1'), new Set(['pids'] as const));
  await expect(group.create(USER, LIMITS)).rejects.toThrow('pids.max');
});

it('a control group has what the kernel ended for lack of memory, also once it is removed', async () => {
  const group = new RunCgroup(join(parent, '1-1'));
  await group.create(USER, {});
  const events = join(group.path, 'memory.events');
  await writeFile(events, 'low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\n');
  expect(group.memoryKills()).toEqual({ processes: 2, atLimit: 3 });
  await rm(events);
  await group.remove();
  expect(group.memoryKills()).toEqual({ processes: 2, atLimit: 3 });
});

it('a control group is removed with the groups that were made in it', async () => {
  const group = new RunCgroup(join(parent, '1-1'));
  await group.create(USER, {});
  await mkdir(join(group.path, 'a', 'b'), { recursive: true });
  await group.remove();
  await group.remove();
  await expect(readFile(group.path)).rejects.toMatchObject({ code: 'ENOENT' });
});
