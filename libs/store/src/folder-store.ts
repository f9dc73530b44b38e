import { randomUUID } from 'node:crypto';
import { mkdir, open, opendir, rename, rm, rmdir, stat, statfs, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ResultFileName } from '@proctor/contracts';
import { ContentCheck } from './content-check';
import { limitContent } from './outgoing';
import { attemptPath, checkName, fileAt } from './result-path';
import {
  MaintainedStore,
  StoreUnavailable,
  type ByteRange,
  type ExpectedContent,
  type FreeSpace,
  type NamedFile,
  type StoredFile,
  type StoredNames,
} from './result-store';

/** The group may read: the api may run as another user than the scheduler. All other users ask the api. */
const FOLDER_MODE = 0o750;
const FILE_MODE = 0o640;
/** Folders whose files are removed in parallel. */
const REMOVED_AT_ONCE = 16;

/** Keeps results in a folder: `{runId / 1000}/{runId}/{attempt}/{name}`. */
export class FolderStore extends MaintainedStore {
  private readonly where: string;

  constructor(private readonly path: string) {
    super();
    this.where = `the folder ${path}`;
  }

  async save(
    runId: number,
    attempt: number,
    name: ResultFileName,
    content: Readable,
    expected: ExpectedContent,
  ): Promise<void> {
    // The pipeline reports a broken source; this source may break before the pipeline listens.
    content.on('error', () => undefined);
    const folder = this.folder(runId, attempt);
    const file = join(folder, checkName(name));
    const temporary = `${file}.${randomUUID()}.part`;
    let writing = Promise.resolve();
    try {
      const created = await this.wrapErrors(mkdir(folder, { recursive: true, mode: FOLDER_MODE }));
      await pipeline(
        content,
        new ContentCheck(name, expected),
        (checked: AsyncIterable<Buffer>) => (writing = this.write(temporary, checked)),
      );
      await this.wrapErrors(rename(temporary, file));
      await this.wrapErrors(syncFolders(folder, created === undefined ? folder : dirname(created)));
    } catch (error) {
      content.destroy();
      // The file may still be being created: it is removed when writing has ended.
      await Promise.allSettled([writing]);
      await this.wrapErrors(rm(temporary, { force: true }));
      throw error;
    }
  }

  async open(
    runId: number,
    attempt: number,
    name: ResultFileName,
    range?: ByteRange,
  ): Promise<StoredFile | null> {
    const file = await this.wrapErrors(openIfThere(join(this.folder(runId, attempt), checkName(name))));
    if (!file) return null;
    try {
      const { size, mtime } = await this.wrapErrors(file.stat());
      return {
        size,
        modified: mtime,
        content: limitContent(file.createReadStream({ ...range }), this.where),
      };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async remove(runId: number, attempt: number): Promise<void> {
    await this.wrapErrors(rm(this.folder(runId, attempt), { recursive: true, force: true }));
  }

  async removeFiles(files: NamedFile[]): Promise<void> {
    const attempts = new Map<string, string[]>();
    for (const { runId, attempt, name } of files) {
      const folder = this.folder(runId, attempt);
      attempts.set(folder, [...(attempts.get(folder) ?? []), checkName(name)]);
    }
    const waiting = [...attempts];
    const remove = async (): Promise<void> => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const [folder, names] = next;
        for (const name of names) await this.wrapErrors(rm(join(folder, name), { force: true }));
        await this.wrapErrors(removeEmpty(folder, this.path));
      }
    };
    await Promise.all(Array.from({ length: REMOVED_AT_ONCE }, remove));
  }

  async *list(): AsyncGenerator<StoredNames> {
    for await (const thousand of this.entries())
      for await (const run of this.entries(thousand))
        for await (const nth of this.entries(thousand, run)) {
          const names = await this.attemptAt(thousand, run, nth);
          if (names) yield names;
        }
  }

  async space(): Promise<FreeSpace | null> {
    const { bavail, bsize, blocks } = await this.wrapErrors(statfs(await nearestFolder(this.path)));
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  }

  private async attemptAt(...path: [string, string, string]): Promise<StoredNames | null> {
    let names: StoredNames | null = null;
    for await (const name of this.entries(...path)) {
      const file = fileAt([...path, name].join('/'));
      const state = file && (await this.wrapErrors(statIfThere(join(this.path, ...path, name))));
      if (!file || !state) continue;
      const { runId, attempt } = file;
      names ??= { runId, attempt, names: [], modified: state.mtime };
      names.names.push(file.name);
      if (state.mtime > names.modified) names.modified = state.mtime;
    }
    return names;
  }

  /** The names in a folder of the store; none when it is missing, or a file. */
  private async *entries(...path: string[]): AsyncGenerator<string> {
    try {
      for await (const { name } of await opendir(join(this.path, ...path))) yield name;
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) throw new StoreUnavailable(this.where, error);
    }
  }

  private folder(runId: number, attempt: number): string {
    return join(this.path, ...attemptPath(runId, attempt));
  }

  /** A failure of the chunks is passed on unchanged: only a failed write is the store's fault. */
  private async write(path: string, chunks: AsyncIterable<Buffer>): Promise<void> {
    const file = await this.wrapErrors(open(path, 'wx', FILE_MODE));
    try {
      // Whatever the umask.
      await this.wrapErrors(file.chmod(FILE_MODE));
      for await (const chunk of chunks) await this.wrapErrors(file.appendFile(chunk));
      await this.wrapErrors(file.sync());
    } finally {
      await file.close();
    }
  }

  private wrapErrors<T>(work: Promise<T>): Promise<T> {
    return work.catch((error: unknown) => {
      throw new StoreUnavailable(this.where, error);
    });
  }
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await open(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

function statIfThere(path: string) {
  return stat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
}

/** The folder, or its nearest existing parent. */
async function nearestFolder(folder: string): Promise<string> {
  const isThere = (await statIfThere(folder)) !== null;
  return isThere || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}

/** Removes an empty folder, and its empty parents below `top`. */
async function removeEmpty(folder: string, top: string): Promise<void> {
  if (folder === top) return;
  try {
    await rmdir(folder);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return;
    if (code !== 'ENOENT') throw error;
  }
  await removeEmpty(dirname(folder), top);
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
