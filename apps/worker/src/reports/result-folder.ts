import { mkdir, open, readFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FinishedReport, parseMessage } from '@proctor/contracts';
import type { KeptFile } from '../slot/ports';

/** A finished result as it waits on disk for the dispatcher's word. */
export interface KeptResult {
  arch: string;
  report: FinishedReport;
  folder: string;
}

const REPORT = 'report.json';
const UNFINISHED = '.new';

/** Where the files of a result are written before it is kept: on the same file system, so that nothing is copied. */
export function freshResultFolder(path: string, runId: number, attempt: number): string {
  return join(path, `${runId}-${attempt}${UNFINISHED}`);
}

/**
 * Writes a result into `{path}/{runId}-{attempt}/`: report.json and the files. When it resolves, the result survives a
 * crash of the machine; when it rejects, nothing of it takes space.
 */
export async function keepResult(
  path: string,
  arch: string,
  report: FinishedReport,
  files: KeptFile[],
): Promise<KeptResult> {
  const folder = join(path, `${report.runId}-${report.attempt}`);
  const fresh = freshResultFolder(path, report.runId, report.attempt);
  try {
    await mkdir(fresh, { recursive: true });
    for (const file of files) {
      const kept = join(fresh, file.name);
      await rename(file.path, kept);
      await sync(kept);
    }
    await writeReport(join(fresh, REPORT), JSON.stringify({ arch, report }));
    await sync(fresh);
    await rm(folder, { recursive: true, force: true });
    await rename(fresh, folder);
    await sync(path);
    return { arch, report, folder };
  } catch (error) {
    await Promise.all([fresh, folder].map((each) => rm(each, { recursive: true, force: true })));
    throw error;
  }
}

async function writeReport(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The results that an earlier life of the worker left, oldest run first; `refused` hears of folders that hold none. */
export async function keptResults(
  path: string,
  refused: (folder: string, why: unknown) => void,
): Promise<KeptResult[]> {
  await mkdir(path, { recursive: true });
  const results: KeptResult[] = [];
  for (const name of await readdir(path)) {
    const folder = join(path, name);
    if (name.endsWith(UNFINISHED)) {
      await rm(folder, { recursive: true, force: true });
      continue;
    }
    try {
      const { arch, report } = JSON.parse(await readFile(join(folder, REPORT), 'utf8')) as KeptResult;
      results.push({ arch, report: parseMessage(FinishedReport, report), folder });
    } catch (error) {
      refused(folder, error);
    }
  }
  return results.sort((a, b) => a.report.runId - b.report.runId);
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
