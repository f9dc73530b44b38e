import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { RESULT_FILES, type ResultFileName } from '@proctor/contracts';
import { ContentCheck } from './content-check';
import { ResultStore, type ByteRange, type ExpectedContent, type StoredFile } from './result-store';

/** Runs of one folder, so that none grows too large to list. */
const RUNS_PER_FOLDER = 1000;

/** Keeps results in a folder: `{runId / 1000}/{runId}/{attempt}/{name}`. */
export class FolderStore extends ResultStore {
  constructor(private readonly path: string) {
    super();
  }

  async put(
    runId: number,
    attempt: number,
    name: ResultFileName,
    content: Readable,
    expected: ExpectedContent,
  ): Promise<void> {
    // The pipeline reports a broken source; this one may break before the pipeline listens.
    content.on('error', () => undefined);
    const folder = this.folder(runId, attempt);
    const file = join(folder, checked(name));
    const temporary = `${file}.${randomUUID()}.part`;
    try {
      const created = await mkdir(folder, { recursive: true });
      const target = createWriteStream(temporary, { flags: 'wx', flush: true });
      await pipeline(content, new ContentCheck(name, expected), target);
      await rename(temporary, file);
      await syncFolders(folder, created === undefined ? folder : dirname(created));
    } catch (error) {
      content.destroy();
      await rm(temporary, { force: true });
      throw error;
    }
  }

  async open(
    runId: number,
    attempt: number,
    name: ResultFileName,
    range?: ByteRange,
  ): Promise<StoredFile | null> {
    const file = await openIfThere(join(this.folder(runId, attempt), checked(name)));
    if (!file) return null;
    try {
      const { size, mtime } = await file.stat();
      return { size, modified: mtime, content: file.createReadStream({ ...range }) };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async remove(runId: number, attempt: number): Promise<void> {
    await rm(this.folder(runId, attempt), { recursive: true, force: true });
  }

  private folder(runId: number, attempt: number): string {
    const [run, nth] = [positive(runId), positive(attempt)];
    return join(this.path, String(Math.floor(run / RUNS_PER_FOLDER)), String(run), String(nth));
  }
}

/** Names become paths: only the known ones do. */
function checked(name: string): string {
  const known = RESULT_FILES.find((each) => each === name);
  if (!known) throw new Error(`"${name}" is not the name of a result file`);
  return known;
}

function positive(id: number): number {
  if (!Number.isSafeInteger(id) || id < 1) throw new Error(`${id} is not the number of a run or attempt`);
  return id;
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Makes the names in a folder durable, and those in its parents up to `last`. */
async function syncFolders(folder: string, last: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (folder !== last && dirname(folder) !== folder) await syncFolders(dirname(folder), last);
}
