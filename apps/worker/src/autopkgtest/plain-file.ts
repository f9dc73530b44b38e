import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

const NOT_PLAIN = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EACCES']);

/**
 * Opens a file that a test may have replaced by something else: no link is followed and nothing blocks. Null when it is
 * not a plain readable file.
 */
export async function openPlainFile(path: string): Promise<FileHandle | null> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    return null;
  } catch (error) {
    if (NOT_PLAIN.has((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/** The first bytes of such a file as text; empty without one. */
export async function startOfFile(path: string, bytesMax: number): Promise<string> {
  const file = await openPlainFile(path);
  if (!file) return '';
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(bytesMax), 0, bytesMax, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The last bytes of such a file as text; empty without one. */
export async function endOfFile(path: string, bytesMax: number): Promise<string> {
  const file = await openPlainFile(path);
  if (!file) return '';
  try {
    const { size } = await file.stat();
    const { bytesRead, buffer } = await file.read(
      Buffer.alloc(bytesMax),
      0,
      bytesMax,
      Math.max(0, size - bytesMax),
    );
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
