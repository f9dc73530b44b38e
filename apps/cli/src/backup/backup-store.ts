import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Dump } from '@proctor/database';
import { fileAt, type MaintainedStore, type NamedFile, storedPath } from '@proctor/store';
import { Failure } from '../failure';
import { type BackupFolder, STORE_SUMS } from './backup-folder';

/** Number of files that are copied at the same time. */
const AT_ONCE = 8;
const PRINT_EVERY = 10_000;

/**
 * Copies the files that the rows of the dump name, and writes the checksum of each.
 * @returns the number of runs without a log or artifacts; retention may have removed these during the backup
 */
export async function copyStore(
  dump: Dump,
  store: MaintainedStore,
  folder: BackupFolder,
  printLine: (line: string) => void,
): Promise<number> {
  const missing = new Set<number>();
  let count = 0;
  const sums = new PassThrough();
  const sumsFile = pipeline(
    sums,
    createWriteStream(join(folder.path, STORE_SUMS), { mode: 0o600, flush: true }),
  );
  const copy = async (file: NamedFile): Promise<void> => {
    const stored = await store.open(file.runId, file.attempt, file.name);
    if (!stored) {
      if (!file.name.endsWith('.json')) missing.add(file.runId);
      return;
    }
    const path = storedPath(file);
    const sum = await folder.write(`store/${path}`, stored.content);
    sums.write(`${sum}  store/${path}\n`);
    count += 1;
    if (count % PRINT_EVERY === 0) printLine(`${count} files of the store`);
  };
  // If the disk is full, copying stops with an error.
  await Promise.all([inParallel(namedFiles(dump), copy).finally(() => sums.end()), sumsFile]);
  await folder.addExistingFile(STORE_SUMS);
  printLine(`${count} files of the store`);
  return missing.size;
}

/**
 * Copies the files of a backup into a store. Each file is checked while it is copied, and appears in the store only
 * when it is complete.
 * @throws Failure if a file is damaged or missing
 */
export async function fillStore(
  path: string,
  store: MaintainedStore,
  printLine: (line: string) => void,
): Promise<void> {
  let count = 0;
  const bring = async (line: string): Promise<void> => {
    const [sha256 = '', name = ''] = line.split('  ');
    const file = fileAt(name.replace(/^store\//, ''));
    if (!file) throw new Failure(`${STORE_SUMS} of the backup names ${name}, which is no result file`);
    const source = join(path, name);
    const { size } = await stat(source).catch(() => {
      throw new Failure(`${name} is missing from the backup`);
    });
    await store.save(file.runId, file.attempt, file.name, createReadStream(source), { size, sha256 });
    count += 1;
    if (count % PRINT_EVERY === 0) printLine(`${count} files of the store`);
  };
  await inParallel(createInterface({ input: createReadStream(join(path, STORE_SUMS)) }), bring);
  printLine(`${count} files of the store`);
}

async function* namedFiles(dump: Dump): AsyncGenerator<NamedFile> {
  for await (const { runId, attempt, names } of dump.files())
    for (const name of names) yield { runId, attempt, name };
}

/** @throws the first error of `work`, after all work that was started has ended; after an error no further work starts */
export async function inParallel<T>(all: AsyncIterable<T>, work: (each: T) => Promise<void>): Promise<void> {
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  for await (const each of all) {
    if (failures.length > 0) break;
    const one: Promise<void> = work(each)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => running.delete(one));
    running.add(one);
    if (running.size >= AT_ONCE) await Promise.race(running);
  }
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
}
