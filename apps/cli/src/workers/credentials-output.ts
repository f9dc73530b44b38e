import { open, rm, type FileHandle } from 'node:fs/promises';
import { write as print } from '../output/print';

/**
 * Gives `work` a place to write to: standard output, or a file that only its owner reads. Whether the file can be made is known
 * before the work begins; it is gone again when the work fails and has written nothing.
 * @throws when there is such a file already
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
    throw new Error(`out: ${path} is there already: choose another file`, { cause: error });
  }
}
