import { mkdir, open, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { grantName, type FinishedReport, type Grant } from '@proctor/contracts';
import type { LocalFile } from '../slot/ports';
import { checkReport } from './check-report';

/** A finished result that waits on disk for the dispatcher's answer. */
export interface SavedResult {
  arch: string;
  report: FinishedReport;
  /** Null: it is not on disk, and has no files. */
  folder: string | null;
}

const REPORT = 'report.json';
const UNFINISHED = '.new';
/** Suffix of the folder of a result that is being removed. Its files are no longer a result. */
const REMOVED = '.removed';

/** A result whose report the dispatcher refused. */
const REFUSED = '.refused';

/** The folder of the results of a worker. */
export function resultsPath({ workPath }: { workPath: string }): string {
  return join(workPath, 'results');
}

/**
 * The folder in which the files of a result are written before it is saved. It is on the same file system, so that
 * nothing is copied.
 */
export function freshResultFolder(path: string, grant: Grant): string {
  return join(path, `${grantName(grant, '-')}${UNFINISHED}`);
}

/**
 * Writes a result into `{path}/{runId}-{attempt}-{grantEpoch}/`: report.json and the files. An existing result is
 * completed in place: at each moment the folder holds one complete report, the old or the new one. When it resolves,
 * the result survives a crash of the machine; when it rejects, it takes no space, and an older result stays.
 */
export async function saveResult(
  path: string,
  arch: string,
  report: FinishedReport,
  files: LocalFile[],
): Promise<SavedResult> {
  const folder = join(path, grantName(report, '-'));
  const fresh = freshResultFolder(path, report);
  const isKept = await hasReport(folder);
  const target = isKept ? folder : fresh;
  try {
    await mkdir(target, { recursive: true, mode: 0o700 });
    for (const file of files) {
      const savedFile = join(target, file.name);
      if (file.path !== savedFile) await rename(file.path, savedFile);
      await sync(savedFile);
    }
    await writeReport(join(target, REPORT), JSON.stringify({ arch, report }));
    await sync(target);
    await rm(isKept ? fresh : folder, { recursive: true, force: true });
    if (!isKept) await rename(fresh, folder);
    await sync(path);
    return { arch, report, folder };
  } catch (error) {
    const leftovers = isKept ? files.map(({ name }) => join(folder, name)) : [folder];
    await Promise.all([fresh, ...leftovers].map((each) => rm(each, { recursive: true, force: true })));
    throw error;
  }
}

async function hasReport(folder: string): Promise<boolean> {
  try {
    return (await stat(join(folder, REPORT))).isFile();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Replaces the file in one step: at each moment it has its old text or the new one. */
async function writeReport(path: string, text: string): Promise<void> {
  const draft = `${path}${UNFINISHED}`;
  try {
    await writeSynced(draft, text);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Removes a result that was answered. The folder is renamed first: if the worker dies during the removal, the rest must
 * not look like a result without files.
 */
export async function removeResult(folder: string): Promise<void> {
  const removed = `${folder}${REMOVED}`;
  await rm(removed, { recursive: true, force: true });
  try {
    await rename(folder, removed);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  await rm(removed, { recursive: true, force: true });
}

/** Keeps a result that is never delivered again, together with the latest `keptMax` of these. */
export async function setResultAside(
  folder: string,
  keptMax: number,
): Promise<{ /** Where it is now. */ aside: string; /** Folders that were removed. */ surplus: string[] }> {
  const aside = `${folder}${REFUSED}`;
  await rm(aside, { recursive: true, force: true });
  await rename(folder, aside);
  const path = dirname(folder);
  const names = (await readdir(path)).filter((name) => name.endsWith(REFUSED));
  const all = await Promise.all(
    names.map(async (name) => ({ path: join(path, name), since: (await stat(join(path, name))).ctimeMs })),
  );
  const sorted = all.sort((a, b) => b.since - a.since);
  const surplus = sorted.slice(keptMax).map((each) => each.path);
  await Promise.all(surplus.map((each) => rm(each, { recursive: true, force: true })));
  return { aside, surplus };
}

/**
 * The results of an earlier life of the worker, oldest run first. `warn` gets a line about each folder without a
 * result, and each report that had to change. Results that were not completely written or removed are removed.
 */
export async function loadResults(path: string, warn: (line: string) => void): Promise<SavedResult[]> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const results: SavedResult[] = [];
  for (const name of await readdir(path)) {
    const folder = join(path, name);
    if (name.endsWith(UNFINISHED) || name.endsWith(REMOVED)) {
      warn(`${folder} was not finished, and is removed`);
      await rm(folder, { recursive: true, force: true });
      continue;
    }
    if (name.endsWith(REFUSED)) continue;
    try {
      results.push(await readResult(folder, warn));
    } catch (error) {
      warn(`${folder} holds no result that can be read: ${String(error)}`);
    }
  }
  return results.sort((a, b) => a.report.runId - b.report.runId);
}

async function readResult(folder: string, warn: (line: string) => void): Promise<SavedResult> {
  const { arch, report } = JSON.parse(await readFile(join(folder, REPORT), 'utf8')) as SavedResult;
  const { report: sound, dropped } = checkReport(report);
  if (dropped !== null) warn(`${folder}: the result is reported otherwise: ${dropped}`);
  return { arch, report: sound, folder };
}

export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
