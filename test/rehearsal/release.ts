import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** A built version of the product. */
export interface Release {
  name: string;
  /** The folder of its package.json. */
  folder: string;
  /** It knows nothing of what is new in the configuration. */
  isPrevious: boolean;
}

interface Packages {
  packages: Record<string, { version?: string; optional?: boolean; dev?: boolean }>;
}

/** The commit that CHANGELOG.md names as the release before this one; null: there is none, as before 1.0.0. */
export function previousCommit(root: string): string | null {
  const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  return /release before this one is the commit ([0-9a-f]{7,40})\b/.exec(text)?.[1] ?? null;
}

/**
 * Builds a commit in a folder of its own, which is kept for the next time. Its packages are ours, as hard links, where it
 * would install the same; else they are installed.
 */
export function buildCommit(root: string, commit: string, say: (line: string) => void): Release {
  const folder = join(root, '.cache/releases', commit);
  const release = { name: commit.slice(0, 7), folder, isPrevious: true };
  if (existsSync(folder)) return release;
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  say(`taking ${commit} out of the history`);
  const files = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', part], { input: files });
  const isSame = hasItsPackages(root, part);
  say(isSame ? 'its packages are among ours' : 'installing its packages, which takes a minute');
  if (isSame) execFileSync('cp', ['-al', join(root, 'node_modules'), join(part, 'node_modules')]);
  else
    execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: part,
      stdio: 'inherit',
    });
  say(`building ${commit}`);
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: part, stdio: 'inherit' });
  renameSync(part, folder);
  return release;
}

/** Whether each package that it runs with is installed here in its version. */
function hasItsPackages(root: string, folder: string): boolean {
  const read = (path: string) => (JSON.parse(readFileSync(path, 'utf8')) as Packages).packages;
  const [needed, installed] = [
    join(folder, 'package-lock.json'),
    join(root, 'node_modules/.package-lock.json'),
  ].map(read);
  return Object.entries(needed!).every(
    ([path, { version, optional, dev }]) =>
      path === '' || optional || dev || installed![path]?.version === version,
  );
}

/** The library of databases as this release has it: it knows its own schema. */
export async function databaseOf({ folder }: Release): Promise<typeof import('@proctor/database')> {
  return (await import(
    join(folder, 'dist/libs/database/src/index.js')
  )) as typeof import('@proctor/database');
}

/** The library of the bus, which knows the accounts that this release needs. */
export async function busOf({ folder }: Release): Promise<typeof import('@proctor/bus')> {
  return (await import(join(folder, 'dist/libs/bus/src/index.js'))) as typeof import('@proctor/bus');
}
