import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Of the file system that a folder is on, or will be on. */
export interface DiskSpace {
  totalBytes: number;
  /** What this process may still use. */
  freeBytes: number;
}

/** A folder that is not there yet has the space of the one that it is to be made in. @throws when nothing can be written there */
export async function diskSpace(folder: string): Promise<DiskSpace> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    const { bsize, blocks, bavail } = await statfs(folder);
    return { totalBytes: bsize * blocks, freeBytes: bsize * bavail };
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code !== 'ENOENT';
    if (isThere || dirname(folder) === folder) throw error;
    return diskSpace(dirname(folder));
  }
}
