import { open, rm, type FileHandle } from 'node:fs/promises';

/**
 * Writes what `work` makes: to standard output, or into a file that only its owner reads. Whether the file can be made is
 * known before the work begins; it is gone again when the work fails.
 * @throws when there is such a file already
 */
export async function handOver<T>(
  path: string | undefined,
  work: () => Promise<{ text: string; result: T }>,
): Promise<T> {
  if (path === undefined) {
    const { text, result } = await work();
    process.stdout.write(text);
    return result;
  }
  const file = await newFile(path);
  try {
    const { text, result } = await work();
    await file.writeFile(text);
    return result;
  } catch (error) {
    await rm(path);
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
