import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
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

it('no pid file is no mistake', async () => {
  await expect(removeStalePidFile(join(folder, 'absent'))).resolves.toBeUndefined();
});
