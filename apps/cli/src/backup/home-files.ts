import { chmod, chown, copyFile, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import type { Home } from '@proctor/embedded';
import type { BackupFolder, CheckedBackup } from './backup-folder';

/** Secrets that are not restored, because a new database server gets new ones. */
const OF_ONE_SERVER = ['secrets/postgres', 'secrets/database.url'];

/** Suffix of a file that is not completely restored yet. */
const UNFINISHED = '.restoring';

/**
 * Saves the keys, passwords and credentials of a home, and the files of the configuration.
 * @param secretFiles absolute paths of further secrets; only those inside the home are saved
 * @returns paths of the files that the user of the backup may not read
 */
export async function saveHomeFiles(
  home: Home,
  configurationFolder: string,
  secretFiles: string[],
  backup: BackupFolder,
): Promise<string[]> {
  const names = [home.adminKey, home.adminPassword, ...secretFiles].map((path) => relative(home.path, path));
  const inside = names.filter((name) => !name.startsWith('..') && !isAbsolute(name));
  const unreadable: string[] = [];
  const keep = async (path: string, name: string): Promise<void> => {
    if (!(await keepFile(path, name, backup))) unreadable.push(path);
  };
  for (const name of new Set([...inside, ...(await namesBelow(home.path, 'secrets'))]))
    if (!OF_ONE_SERVER.includes(name)) await keep(join(home.path, name), `home/${name}`);
  for (const name of await namesBelow(configurationFolder, '.'))
    await keep(join(configurationFolder, name), `config/${name}`);
  return unreadable;
}

/** Result of restoring the configuration files. */
interface BroughtConfiguration {
  /** Absolute paths of the files that were restored. */
  brought: string[];
  /** Names of the files that were not restored, because a file with different content exists. */
  different: string[];
}

/** Restores the configuration files that are missing in `configurationFolder`. */
export async function restoreConfiguration(
  backup: CheckedBackup,
  configurationFolder: string,
): Promise<BroughtConfiguration> {
  const result: BroughtConfiguration = { brought: [], different: [] };
  for (const name of backup.filesBelow('config')) {
    const inside = name.slice('config/'.length);
    const target = join(configurationFolder, inside);
    const info = await readFile(target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return null;
    });
    if (info === null) {
      result.brought.push(target);
      await bring(backup, name, target);
    } else if (!info.equals(await readFile(join(backup.path, name)))) result.different.push(inside);
  }
  return result;
}

/**
 * Restores all files of a home, or none of them. Each is copied under a temporary name and renamed after `ready` has
 * resolved.
 * @param ready called when all files are copied
 */
export async function restoreHomeFiles(
  backup: CheckedBackup,
  home: Home,
  ready: () => Promise<void>,
): Promise<void> {
  const targets = backup
    .filesBelow('home')
    .map((name) => ({ name, target: join(home.path, name.slice('home/'.length)) }));
  try {
    for (const { name, target } of targets) await bring(backup, name, `${target}${UNFINISHED}`);
    await ready();
    for (const { target } of targets) await rename(`${target}${UNFINISHED}`, target);
  } catch (error) {
    for (const { target } of targets) await rm(`${target}${UNFINISHED}`, { force: true });
    throw error;
  }
}

/** @returns false if the file may not be read */
async function keepFile(path: string, name: string, backup: BackupFolder): Promise<boolean> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'EACCES') return error.code;
    throw error;
  });
  if (typeof file === 'string') return file === 'ENOENT';
  const info = await file.stat();
  if (info.isFile()) {
    const users = await systemNames('/etc/passwd');
    const groups = await systemNames('/etc/group');
    backup.attributes[name] = {
      mode: info.mode & 0o777,
      user: nameOf(users, info.uid),
      group: nameOf(groups, info.gid),
    };
    await backup.saveFile(name, file.createReadStream());
  } else await file.close();
  return true;
}

/** Copies a file of the backup and sets its mode. Root also sets its user and group, if this machine has them. */
async function bring(backup: CheckedBackup, name: string, target: string): Promise<void> {
  const { mode, user, group } = backup.attributesOf(name);
  const newFolder = await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await copyFile(join(backup.path, name), target);
  await chmod(target, mode);
  if (process.getuid?.() !== 0) return;
  const uid = (await systemNames('/etc/passwd')).get(user) ?? 0;
  const gid = (await systemNames('/etc/group')).get(group) ?? 0;
  await chown(target, uid, gid);
  if (newFolder !== undefined) await chown(dirname(target), uid, gid);
}

/** Name → id of all users, or of all groups. */
async function systemNames(file: string): Promise<Map<string, number>> {
  const lines = (await readFile(file, 'utf8')).split('\n').map((line) => line.split(':'));
  return new Map(lines.map(([name = '', , id]) => [name, Number(id)]));
}

function nameOf(names: Map<string, number>, id: number): string {
  return [...names].find(([, each]) => each === id)?.[0] ?? '';
}

/** Paths of the files below `folder` of `top`; empty if the folder does not exist. */
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
