import { mkdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { connections, type Configuration } from '@proctor/config';
import { sizeText } from '@proctor/contracts';
import { Dump, openDatabase } from '@proctor/database';
import { Home } from '@proctor/embedded';
import { VERSION } from '@proctor/process';
import { openStore } from '@proctor/store';
import { configurationFolder, ownConfiguration } from '../configuration';
import { type OutputOptions, printNotice, write } from '../output/print';
import { projectFolder } from '../project';
import { BackupFolder, type Manifest } from './backup-folder';
import { copyStore } from './backup-store';
import { saveHomeFiles } from './home-files';
import { withServiceDatabase } from './own-database';

/** The interval between two progress lines about the tables, which may take hours. */
const PRINT_EVERY_MS = 5_000;

/** Writes a backup into a new folder below `parent` and prints its path. The service may be running. */
export async function backup(
  parent: string,
  { files, json }: OutputOptions & { files: boolean },
): Promise<object> {
  const home = await Home.findHome(process.env, projectFolder());
  const configuration = await ownConfiguration();
  const result = await withServiceDatabase(home, async (url) => {
    const dump = await Dump.open(url);
    const { takenAt } = dump.description;
    const path = join(resolve(parent), `proctor-${takenAt.slice(0, 19).replaceAll(/[-:]/g, '')}Z`);
    const folder = new BackupFolder(`${path}.part`);
    try {
      await mkdir(folder.path, { recursive: true, mode: 0o700 });
      await fill(folder, dump, configuration, home, files);
      await rename(folder.path, path);
    } catch (error) {
      await rm(folder.path, { recursive: true, force: true });
      throw error;
    } finally {
      await dump.end();
    }
    await recordBackup(url, takenAt, folder.bytes);
    printNotice(`saved the service as it was at ${takenAt}: ${sizeText(folder.bytes)}`);
    return { path, taken_at: takenAt, bytes: folder.bytes };
  });
  // Printed last: if the reader of the output is gone, writing ends the process, and nothing may remain undone then.
  if (!json) write(`${result.path}\n`);
  return result;
}

async function fill(
  folder: BackupFolder,
  dump: Dump,
  configuration: Configuration,
  home: Home,
  withFiles: boolean,
): Promise<void> {
  let printedAt = performance.now();
  for (const [index, table] of dump.description.tables.entries()) {
    await folder.table(table, dump.rows(table));
    if (performance.now() - printedAt < PRINT_EVERY_MS) continue;
    printedAt = performance.now();
    printNotice(`${index + 1} of ${dump.description.tables.length} tables: ${sizeText(folder.bytes)} so far`);
  }
  printNotice(`${dump.description.tables.length} tables: ${sizeText(folder.bytes)}`);
  const { login, mail } = configuration.server;
  const secrets = login.providers.flatMap(({ clientSecretFile }) => clientSecretFile ?? []);
  if (mail?.passwordFile !== undefined) secrets.push(mail.passwordFile);
  const unreadable = await saveHomeFiles(home, configurationFolder(), secrets, folder);
  if (unreadable.length > 0)
    printNotice(
      `not in this backup, for this user may not read them, and a restore will lack them: ${unreadable.join(', ')}. As root the same command has them`,
    );
  const { store: settings } = configuration;
  let store: Manifest['store'] = 'left out';
  let filesMissing = 0;
  if (settings.kind === 's3') {
    store = { bucket: settings.bucket };
    printNotice(
      `logs and artifacts are in the bucket ${settings.bucket}, and not in this backup: see to its own versions or copies`,
    );
  } else if (withFiles) {
    const source = await openStore(settings, () => connections().storeCredentials);
    filesMissing = await copyStore(dump, source, folder, printNotice).finally(() => source.close());
    store = 'included';
  }
  await folder.saveManifest({ proctor: VERSION, database: dump.description, store, filesMissing });
}

async function recordBackup(url: string, takenAt: string, bytes: number): Promise<void> {
  const database = await openDatabase(url);
  try {
    await database.backups.record(new Date(takenAt), bytes);
  } finally {
    await database.close();
  }
}
