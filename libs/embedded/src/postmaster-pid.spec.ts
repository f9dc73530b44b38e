import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeStalePidFile } from './postmaster-pid';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'postmaster-'))));
afterEach(() => rm(folder, { recursive: true }));

it.each([
  ['another process', `${process.ppid}\n/data\n`, false],
  ['ourselves', `${process.pid}\n/data\n`, false],
  ['the first process of the machine', '1\n/data\n', false],
  ['nothing', '', false],
  ['garbage', '\0\0\0', false],
  ['a process group', '-1\n', false],
  // PostgreSQL looks whether its memory is still shared.
  ['no process', `${2 ** 22 + 1}\n/data\n`, true],
])('a pid file of %s: PostgreSQL is left %j only where it can judge it', async (_, text, isLeft) => {
  const path = join(folder, 'postmaster.pid');
  await writeFile(path, text);
  await removeStalePidFile(path);
  expect(existsSync(path)).toBe(isLeft);
});

it('what is no file in the place of a pid file is removed; a file that was closed is read', async () => {
  const path = join(folder, 'postmaster.pid');
  for (const make of [() => mkdir(join(path, 'x'), { recursive: true }), () => symlink('/dev/zero', path)]) {
    await make();
    await removeStalePidFile(path);
    expect(await readdir(folder)).toEqual([]);
  }
  await writeFile(path, '1\n/data\n', { mode: 0o000 });
  await removeStalePidFile(path);
  expect(existsSync(path)).toBe(false);
});

it('no pid file is no mistake', async () => {
  await expect(removeStalePidFile(join(folder, 'absent'))).resolves.toBeUndefined();
});
