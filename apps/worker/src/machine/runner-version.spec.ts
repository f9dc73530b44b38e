import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runnerVersion } from './runner-version';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'runner-'))));
afterEach(async () => rm(folder, { recursive: true }));

async function program(path: string): Promise<string> {
  await mkdir(join(folder, path, '..'), { recursive: true });
  await writeFile(join(folder, path), '#!/bin/sh\n');
  await chmod(join(folder, path), 0o755);
  return join(folder, path);
}

it('the version of a checkout is that of its changelog, also through a link', async () => {
  const runner = await program('checkout/runner/autopkgtest');
  await mkdir(join(folder, 'checkout/debian'));
  await writeFile(join(folder, 'checkout/debian/changelog'), 'autopkgtest (6.1) unstable; urgency=medium\n');
  await symlink(runner, join(folder, 'link'));
  expect(await runnerVersion(runner)).toBe('6.1');
  expect(await runnerVersion(join(folder, 'link'))).toBe('6.1');
});

it('the version of an installed program is that of its package', async () => {
  expect(await runnerVersion('dpkg-query')).toMatch(/^\d+\.\d+/);
});

it('the version of any other program is unknown', async () => {
  expect(await runnerVersion(await program('some/where/autopkgtest'))).toBeNull();
  expect(await runnerVersion(join(folder, 'nowhere'))).toBeNull();
  expect(await runnerVersion('no-such-program-anywhere')).toBeNull();
});
