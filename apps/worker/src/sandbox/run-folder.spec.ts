import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunFolder } from './run-folder';

const USER = {
  name: 'proctor',
  uid: 1000,
  gid: 1000,
  switched: false,
  opensTun: false,
  subUids: { start: 0, count: 0 },
  subGids: { start: 0, count: 0 },
};

let parent: string;
beforeEach(async () => (parent = await mkdtemp(join(tmpdir(), 'run-folder-'))));
afterEach(async () => rm(parent, { recursive: true, force: true }));

it('a run folder is removed with all that is in it, whatever a test has made of it', async () => {
  const folder = await RunFolder.create(parent, '7-1', USER);
  await mkdir(join(folder.output, 'closed'));
  await writeFile(join(folder.output, 'closed', 'file'), '');
  await chmod(join(folder.output, 'closed'), 0o000);
  const deep = Array.from({ length: 17 }, () => 'n'.repeat(250)).join('/');
  execFileSync('mkdir', ['-p', deep], { cwd: folder.output });
  await folder.remove();
  expect(await readdir(parent)).toEqual([]);
});

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

it('a run folder is for the worker alone, whatever the umask', async () => {
  const umask = process.umask(0);
  const folder = await RunFolder.create(parent, '7-1', USER).finally(() => process.umask(umask));
  const modes = [folder.path, folder.output, folder.workArea, folder.errors].map(modeOf);
  expect(await Promise.all(modes)).toEqual(['700', '700', '700', '600']);
});

it('a run folder lets the user of its runs pass where the worker is another one', async () => {
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const folder = await RunFolder.create(parent, '7-1', { ...USER, ...own, switched: true });
  const modes = [folder.path, folder.output, folder.workArea, folder.errors].map(modeOf);
  expect(await Promise.all(modes)).toEqual(['710', '700', '700', '600']);
  expect(await modeOf(await folder.writePrivate('logins', 'secret'))).toBe('600');
});
