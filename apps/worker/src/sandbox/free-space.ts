import { statfs } from 'node:fs/promises';

/** Free space of a file system for ordinary users. */
export interface RoomOnDisk {
  bytes: number;
  files: number;
}

/** Free space of the file system that holds a path. */
export async function freeSpaceOf(path: string): Promise<RoomOnDisk> {
  const { bavail, bsize, ffree } = await statfs(path);
  return { bytes: bavail * bsize, files: ffree };
}

export async function freeBytesOf(path: string): Promise<number> {
  return (await freeSpaceOf(path)).bytes;
}
