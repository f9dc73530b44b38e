import { open, rm, type FileHandle } from 'node:fs/promises';
import { write as print } from '../output/print';

/**
 * Calls `work` with a function that writes to standard output, or to a new file that only its owner may read. The file
 * is created before the work begins, and removed if the work fails before it wrote anything.
 * @throws Error if the file exists already
 */
export async function handOver<T>(
  path: string | undefined,
  work: (write: (text: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  if (path === undefined) {
    return work((text) => {
      print(text);
      return Promise.resolve();
    });
  }
  const file = await newFile(path);
  let isWritten = false;
  const write = async (text: string): Promise<void> => {
    await file.writeFile(text);
    isWritten = true;
  };
  try {
    return await work(write);
  } catch (error) {
    if (!isWritten) await rm(path);
    throw error;
  } finally {
    await file.close();
  }
}

async function newFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Error(`out: ${path} exists already: choose another file`, { cause: error });
  }
}
