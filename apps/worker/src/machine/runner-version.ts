import { execFile } from 'node:child_process';
import { readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CLEAN_ENVIRONMENT } from '../sandbox/sandbox-command';

const execute = promisify(execFile);

/**
 * The version of a test runner; autopkgtest has no option for it. A program of a Debian package has the version of the
 * package; a program in a checkout has the version of the changelog in that checkout. Null if unknown.
 */
export async function runnerVersion(program: string): Promise<string | null> {
  const path = await locate(program);
  if (path === null) return null;
  return (await versionOfCheckout(path)) ?? (await versionOfPackage(path));
}

/**
 * The checkout that contains a test runner, else its program; null if it does not exist, or if `program` is a name
 * without a folder.
 */
export async function runnerPath(program: string): Promise<string | null> {
  const path = program.includes('/') ? await locate(program) : null;
  if (path === null || (await versionOfCheckout(path)) === null) return path;
  return dirname(dirname(path));
}

async function locate(program: string): Promise<string | null> {
  const folders = program.includes('/') ? [''] : CLEAN_ENVIRONMENT.PATH.split(':');
  for (const folder of folders) {
    const path = await realpath(join(folder, program)).catch(() => null);
    if (path !== null) return path;
  }
  return null;
}

/** The version of the checkout whose folder `runner/` contains the program. */
async function versionOfCheckout(path: string): Promise<string | null> {
  const text = await readFile(join(dirname(path), '../debian/changelog'), 'utf8').catch(() => '');
  return /^autopkgtest \(([^)\s]+)\)/.exec(text)?.[1] ?? null;
}

async function versionOfPackage(path: string): Promise<string | null> {
  const owner = await query(['--search', path]);
  const name = /^([a-z0-9][a-z0-9+.-]+)(?::[a-z0-9]+)?: /.exec(owner)?.[1];
  if (name === undefined) return null;
  return (await query(['--show', '--showformat=${Version}', name])).trim() || null;
}

/** Empty when dpkg does not know it, or is not installed. */
async function query(args: string[]): Promise<string> {
  return execute('dpkg-query', args, { env: CLEAN_ENVIRONMENT }).then(
    ({ stdout }) => stdout,
    () => '',
  );
}
