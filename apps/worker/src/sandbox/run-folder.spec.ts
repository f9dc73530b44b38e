import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunFolder } from './run-folder';

const USER = {
  ...{ name: 'proctor', uid: 1000, gid: 1000, switched: false, opensTun: false },
  ...{ subUids: { start: 0, count: 0 }, subGids: { start: 0, count: 0 } },
};

let parent: string;
beforeEach(async () => (parent = await mkdtemp(join(tmpdir(), 'run-folder-'))));
afterEach(async () => rm(parent, { recursive: true, force: true }));

it('goes with all that is in it, whatever a test has made of it', async () => {
  const folder = await RunFolder.create(parent, '7-1', USER);
  await mkdir(join(folder.output, 'closed'));
  await writeFile(join(folder.output, 'closed', 'file'), '');
  await chmod(join(folder.output, 'closed'), 0o000);
  const deep = Array.from({ length: 17 }, () => 'n'.repeat(250)).join('/');
  execFileSync('mkdir', ['-p', deep], { cwd: folder.output });
  await folder.remove();
  expect(await readdir(parent)).toEqual([]);
});
