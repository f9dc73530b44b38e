import { createReadStream } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import type { Home } from '@proctor/embedded';
import type { BackupFolder, CheckedBackup } from './backup-folder';

/** What a database server that is made anew gets anew. */
const OF_ONE_SERVER = ['secrets/postgres', 'secrets/database.url'];

/**
 * The keys, passwords and credentials of a home, and the files of the configuration.
 * @param secretFiles absolute paths of others: those in the home are kept
 */
export async function keepHomeFiles(
  home: Home,
  configurationFolder: string,
  secretFiles: string[],
  backup: BackupFolder,
): Promise<void> {
  const named = [home.adminKey, home.adminPassword, ...secretFiles].map((path) => relative(home.path, path));
  const inside = named.filter((name) => !name.startsWith('..') && !isAbsolute(name));
  for (const name of new Set([...inside, ...(await namesBelow(home.path, 'secrets'))]))
    if (!OF_ONE_SERVER.includes(name)) await keepFile(join(home.path, name), `home/${name}`, backup);
  for (const name of await namesBelow(configurationFolder, '.'))
    await keepFile(join(configurationFolder, name), `config/${name}`, backup);
}

/** Into a home; the files of the configuration go to a folder of it, when it has none. */
export async function bringHomeFiles(
  backup: CheckedBackup,
  home: Home,
  configurationFolder: string | null,
): Promise<void> {
  for (const name of backup.filesBelow('home'))
    await bring(backup, name, join(home.path, name.slice('home/'.length)));
  if (configurationFolder === null) return;
  for (const name of backup.filesBelow('config'))
    await bring(backup, name, join(configurationFolder, name.slice('config/'.length)));
}

async function keepFile(path: string, name: string, backup: BackupFolder): Promise<void> {
  const isThere = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  if (isThere) await backup.keep(name, createReadStream(path));
}

async function bring(backup: CheckedBackup, name: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await copyFile(join(backup.path, name), target);
  await chmod(target, name.startsWith('config/') ? 0o644 : 0o600);
}

/** Paths of the files below `folder` of `top`; none when it is not there. */
async function namesBelow(top: string, folder: string): Promise<string[]> {
  const path = join(top, folder);
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    },
  );
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(top, join(entry.parentPath, entry.name)));
}
