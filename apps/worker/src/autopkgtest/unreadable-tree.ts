import type { Stats } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { basename, dirname, join, normalize } from 'node:path';
import { oneLine } from '@proctor/contracts';

/** Folders in autopkgtest's output that hold the package's files while it reads them. */
const TREES = ['pkg', 'tests-tree'];

/** Files of a package that autopkgtest and autodep8 read themselves, outside of the testbed, without a time limit. */
const READ = [
  'debian/control',
  'debian/tests/control',
  'debian/tests/control.autodep8',
  'debian/compat',
  'debian/rules',
  'debian/elpa-test',
];

const CHANGELOG = 'debian/changelog';

/** Links that the kernel follows at most. */
const LINKS_MAX = 40;
const TARGET_LENGTH_MAX = 200;

/** Folders in which reading may never end. Anything else outside of the package is a file or missing. */
const ENDLESS = /^\/(?:dev|proc|sys|run)(?:\/|$)/;

/**
 * A file of the tested package that cannot be read to its end, with its kind, for people; null when none is known
 * (yet). Nothing is opened, and no link out of the package is followed.
 * @param outputFolder of a running test runner
 */
export async function findUnreadableFile(outputFolder: string): Promise<string | null> {
  for (const tree of TREES) {
    for (const name of READ) {
      const kind = await specialKind(join(outputFolder, tree), name);
      if (kind !== null) return `${name} is ${kind}`;
    }
  }
  return null;
}

/**
 * The file of a package for which a command waits that opens a pipe, for people; null when the command does not unpack
 * a package. autopkgtest lets dpkg-source unpack it, and sed read the first line of its changelog.
 */
export function unpackingWait(command: string[]): string | null {
  const programs = command.slice(0, 2).map((argument) => basename(argument));
  if (programs[0] === 'sed' && command.at(-1) === CHANGELOG) return `${CHANGELOG} is a pipe`;
  return programs.includes('dpkg-source') ? 'a file that dpkg-source reads is a pipe' : null;
}

/** null: a file, a folder, missing, or elsewhere. */
async function specialKind(tree: string, name: string): Promise<string | null> {
  let remaining = normalize(name).split('/');
  let at = '';
  for (let links = 0; remaining.length > 0;) {
    const [part = '', ...rest] = remaining;
    const path = join(at, part);
    const status = await statusOf(join(tree, path));
    if (!status) return null;
    if (!status.isSymbolicLink()) {
      if (!status.isDirectory()) return rest.length === 0 ? kindOf(status) : null;
      [at, remaining] = [path, rest];
      continue;
    }
    links += 1;
    const target = await readlink(join(tree, path));
    if (ENDLESS.test(normalize(target))) return `a link to ${oneLine(target, TARGET_LENGTH_MAX)}`;
    const next = join(dirname(path), target, ...rest);
    if (links > LINKS_MAX || target.startsWith('/') || next.startsWith('..')) return null;
    [at, remaining] = ['', next.split('/')];
  }
  return null;
}

function kindOf(status: Stats): string | null {
  if (status.isFIFO()) return 'a pipe';
  if (status.isSocket()) return 'a socket';
  return status.isFile() ? null : 'a device';
}

async function statusOf(path: string): Promise<Stats | null> {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG'].includes(error.code ?? '')) return null;
    throw error;
  });
}
