import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Home } from '@proctor/embedded';
import { unpackWithDependencies } from '@libs/embedded/src/unpacked-packages';

const run = promisify(execFile);

/**
 * Returns HAProxy's output for a configuration that it accepts. The program is downloaded once from Debian to the
 * folder in which `npm start` stores packages.
 * @throws Error with HAProxy's messages if it does not accept the configuration
 */
export async function checkedByHaproxy(path: string): Promise<string> {
  const { path: home } = await Home.findHome(process.env, process.cwd());
  const folder = join(home, 'haproxy-package');
  if (!existsSync(folder)) await unpackWithDependencies(['haproxy'], folder);
  const libraries = (await readdir(join(folder, 'usr/lib'))).filter((name) => name.includes('-linux-gnu'));
  const LD_LIBRARY_PATH = libraries.map((name) => join(folder, 'usr/lib', name)).join(':');
  const env = { ...process.env, LD_LIBRARY_PATH };
  const { stdout, stderr } = await run(join(folder, 'usr/sbin/haproxy'), ['-c', '-f', path], { env });
  return stdout + stderr;
}
