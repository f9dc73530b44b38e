import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ControlGroups } from './control-groups';

let own: string;
beforeEach(async () => (own = await mkdtemp(join(tmpdir(), 'groups-'))));
afterEach(async () => rm(own, { recursive: true }));

/** What the kernel shows of a delegated group. */
async function delegate(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  for (const file of ['cgroup.procs', 'cgroup.subtree_control']) await writeFile(join(path, file), '');
}

it('control groups are made in the worker’s group, by the name of process and run', async () => {
  await delegate(own);
  const groups = await ControlGroups.openBelow(own);
  expect(groups?.path).toBe(own);
  expect([...(groups?.controllers ?? [])]).toEqual(['memory', 'pids']);
  expect(groups?.groupOf('7-1').path).toBe(join(own, `proctor-${process.pid}-7-1`));
  expect(await readFile(join(own, 'cgroup.subtree_control'), 'utf8')).not.toBe('');
});

it('control groups are made beside a group of the worker’s own', async () => {
  await delegate(own);
  expect((await ControlGroups.openBelow(join(own, 'worker')))?.path).toBe(own);
});

it('the worker leaves its group for one of its own where it is alone in it', async () => {
  await delegate(own);
  await delegate(join(own, 'worker'));
  await writeFile(join(own, 'cgroup.type'), 'domain\n');
  await writeFile(join(own, 'cgroup.procs'), `${process.pid}\n`);
  expect((await ControlGroups.openBelow(own))?.controllers.size).toBe(2);
  expect(await readFile(join(own, 'worker/cgroup.procs'), 'utf8')).toBe(String(process.pid));
});

it('a shared group limits nothing, as nothing could enter the groups below it', async () => {
  await delegate(own);
  await writeFile(join(own, 'cgroup.type'), 'domain\n');
  await writeFile(join(own, 'cgroup.procs'), `1\n${process.pid}\n`);
  expect((await ControlGroups.openBelow(own))?.controllers.size).toBe(0);
  expect(await readFile(join(own, 'cgroup.subtree_control'), 'utf8')).toBe('');
});

it('no control groups are made where there is nothing to write', async () => {
  await expect(ControlGroups.openBelow(own)).resolves.toBeNull();
});
