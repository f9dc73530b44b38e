import { existsSync } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { connections } from '@proctor/config';
import { CannotLoad, loadDump, type LoadedDump, openDatabase, requireEmpty } from '@proctor/database';
import { Home, runCommand } from '@proctor/embedded';
import { openStore } from '@proctor/store';
import { configurationFolder, ownConfiguration } from '../configuration';
import { Failure } from '../failure';
import { printNotice } from '../output/print';
import { projectFolder } from '../project';
import { CheckedBackup, type Manifest } from './backup-folder';
import { fillStore } from './backup-store';
import { restoreConfiguration, restoreHomeFiles } from './home-files';
import { withNewDatabase, withStoppedHome } from './own-database';

/**
 * Restores a backup into the home, or into the empty database of `PROCTOR_DATABASE_URL`, while no service runs on it.
 */
export async function restore(path: string, { force }: { force: boolean }): Promise<object> {
  const home = await Home.findHome(process.env, projectFolder());
  const backup = await CheckedBackup.open(resolve(path));
  const { database, store } = backup.manifest;
  printNotice(`the backup is complete; it holds the service as it was at ${database.takenAt}`);
  const { aside, loaded } = await withStoppedHome(home, () => inItsPlace(backup, home, force));
  if (aside !== null)
    printNotice(`the previous database is in ${aside}: remove it when you no longer need it`);
  if (store !== 'included') {
    const where = store === 'left out' ? 'elsewhere' : `in the bucket ${store.bucket}`;
    printNotice(`logs and artifacts were not in the backup: they are ${where}`);
  }
  const { firstLostRun, nextRun } = loaded;
  return { taken_at: database.takenAt, first_lost_run: firstLostRun, next_run: nextRun, set_aside: aside };
}

/**
 * Loads the backup and then puts its database in the place of the old one. Until the backup is completely loaded, the
 * old database stays in its place, however this ends.
 * @returns `aside`: the folder of the old database; null if the home had none
 */
async function inItsPlace(
  backup: CheckedBackup,
  home: Home,
  force: boolean,
): Promise<{ aside: string | null; loaded: LoadedDump }> {
  const bring = (url: string): Promise<LoadedDump> => bringBack(backup, home, url);
  try {
    const ownUrl = process.env['PROCTOR_DATABASE_URL'];
    if (ownUrl) return { aside: null, loaded: await bring(ownUrl) };
    const aside = placeAside(home, force);
    const newCluster = `${home.postgresql}.restoring`;
    const loaded = await withNewDatabase(home, newCluster, bring);
    if (aside === null) await rm(home.postgresql, { recursive: true, force: true });
    else await rename(home.postgresql, aside);
    await rename(newCluster, home.postgresql);
    return { aside, loaded };
  } catch (error) {
    throw error instanceof CannotLoad ? new Failure(`it cannot be restored: ${error.message}`) : error;
  }
}

/**
 * @throws the error of the failed step. Restored configuration files are deleted again; files of the home are not
 * restored.
 */
async function bringBack(backup: CheckedBackup, home: Home, url: string): Promise<LoadedDump> {
  await requireEmpty(url);
  const loaded = await loadDump(url, backup.manifest.database, (table) => backup.rows(table), printNotice);
  const { brought, different } = await restoreConfiguration(backup, configurationFolder());
  try {
    await bringFiles(backup, home, () => record(url, backup.manifest, loaded));
  } catch (error) {
    for (const path of brought) await rm(path, { force: true });
    throw error;
  }
  if (different.length > 0)
    printNotice(
      `${configurationFolder()} already had these files, which stay as they are: ${different.join(', ')}; those of the backup are in ${join(backup.path, 'config')}`,
    );
  const { takenAt } = backup.manifest.database;
  printNotice(`what was written after ${takenAt} is missing: runs, results, users, keys and workers`);
  printNotice(
    `runs ${loaded.firstLostRun} to ${loaded.nextRun - 1} may have been requested since; none of these ids is used again`,
  );
  return loaded;
}

/**
 * Restores the files of the store, then the secrets of the home. The secrets come last so that a failed restore leaves
 * none behind.
 */
async function bringFiles(backup: CheckedBackup, home: Home, atEnd: () => Promise<void>): Promise<void> {
  const { store: settings } = await ownConfiguration();
  if (backup.manifest.store === 'included') {
    const target = await openStore(settings, () => connections().storeCredentials);
    await fillStore(backup.path, target, printNotice).finally(() => target.close());
  }
  const folders = settings.kind === 'folder' ? [settings.path] : [];
  await restoreHomeFiles(backup, home, async () => {
    await giveToOwnerOf(home.path, [home.path, ...folders]);
    await atEnd();
  });
}

async function record(url: string, manifest: Manifest, loaded: LoadedDump): Promise<void> {
  const database = await openDatabase(url);
  try {
    const { database: description, filesMissing } = manifest;
    await database.backups.recordRestore({ ...loaded, takenAt: new Date(description.takenAt), filesMissing });
  } finally {
    await database.close();
  }
}

/** If root restores into the home of a service user, gives the files to that user. */
async function giveToOwnerOf(home: string, folders: string[]): Promise<void> {
  const { uid, gid } = await stat(home);
  if (process.getuid?.() !== 0 || uid === 0) return;
  const there = folders.filter((folder) => existsSync(folder));
  await runCommand('chown', ['--recursive', `${uid}:${gid}`, ...there]);
}

/** @returns the folder to which the old database is moved; null if there is no old database */
function placeAside(home: Home, force: boolean): string | null {
  if (!existsSync(join(home.postgresql, 'data'))) return null;
  if (!force)
    throw new Failure(
      `${home.path} has a database already`,
      undefined,
      'name an empty home in PROCTOR_HOME, or use --force to move that database aside',
    );
  const aside = `${home.postgresql}.before-restore`;
  if (existsSync(aside))
    throw new Failure(`${aside} exists from an earlier restore`, undefined, 'remove it first');
  return aside;
}
