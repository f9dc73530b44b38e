import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Makes the Debian packages and their index in a folder. */
export async function buildPackages(folder: string): Promise<void> {
  const env = { ...process.env, DEBFULLNAME: 'Proctor', DEBEMAIL: 'proctor@debian.example' };
  const cwd = join(__dirname, '../..');
  await run(process.execPath, ['scripts/package.mjs', '--out', folder], { cwd, env });
}
