import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ResultFileName } from '@proctor/contracts';
import { ContentCheck } from './content-check';
import { outgoing } from './outgoing';
import { attemptPath, checkedName } from './result-path';
import {
  ResultStore,
  StoreUnavailable,
  type ByteRange,
  type ExpectedContent,
  type StoredFile,
} from './result-store';

/** The group may read: that of the api, where the scheduler is another user of the machine. Everybody else asks the api. */
const FOLDER_MODE = 0o750;
const FILE_MODE = 0o640;

/** Keeps results in a folder: `{runId / 1000}/{runId}/{attempt}/{name}`. */
export class FolderStore extends ResultStore {
  private readonly where: string;

  constructor(private readonly path: string) {
    super();
    this.where = `the folder ${path}`;
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
    const file = join(folder, checkedName(name));
    const temporary = `${file}.${randomUUID()}.part`;
    let writing = Promise.resolve();
    try {
      const created = await this.storing(mkdir(folder, { recursive: true, mode: FOLDER_MODE }));
      await pipeline(
        content,
        new ContentCheck(name, expected),
        (checked: AsyncIterable<Buffer>) => (writing = this.write(temporary, checked)),
      );
      await this.storing(rename(temporary, file));
      await this.storing(syncFolders(folder, created === undefined ? folder : dirname(created)));
    } catch (error) {
      content.destroy();
      // The file may just be made: it is removed when no process writes it any more.
      await Promise.allSettled([writing]);
      await this.storing(rm(temporary, { force: true }));
      throw error;
    }
  }

  async open(
    runId: number,
    attempt: number,
    name: ResultFileName,
    range?: ByteRange,
  ): Promise<StoredFile | null> {
    const file = await this.storing(openIfThere(join(this.folder(runId, attempt), checkedName(name))));
    if (!file) return null;
    try {
      const { size, mtime } = await this.storing(file.stat());
      return { size, modified: mtime, content: outgoing(file.createReadStream({ ...range }), this.where) };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async remove(runId: number, attempt: number): Promise<void> {
    await this.storing(rm(this.folder(runId, attempt), { recursive: true, force: true }));
  }

  private folder(runId: number, attempt: number): string {
    return join(this.path, ...attemptPath(runId, attempt));
  }

  /** What the chunks fail with is passed on as it is: only a failure to write is the store's. */
  private async write(path: string, chunks: AsyncIterable<Buffer>): Promise<void> {
    const file = await this.storing(open(path, 'wx', FILE_MODE));
    try {
      for await (const chunk of chunks) await this.storing(file.appendFile(chunk));
      await this.storing(file.sync());
    } finally {
      await file.close();
    }
  }

  private storing<T>(work: Promise<T>): Promise<T> {
    return work.catch((error: unknown) => {
      throw new StoreUnavailable(this.where, error);
    });
  }
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
