import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Space of the file system of a folder that exists or will be created. */
interface DiskSpace {
  totalBytes: number;
  /** Space that this process may use. */
  freeBytes: number;
}

/** The space of a missing folder is that of its nearest parent. @throws when nothing can be written there */
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
