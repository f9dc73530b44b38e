import { statfs } from 'node:fs/promises';

/** What anybody may still use of a file system. */
export interface RoomOnDisk {
  bytes: number;
  files: number;
}

/** Of the file system that holds a path. */
export async function freeSpaceOf(path: string): Promise<RoomOnDisk> {
  const { bavail, bsize, ffree } = await statfs(path);
  return { bytes: bavail * bsize, files: ffree };
}

/** Bytes that anybody may still use of the file system that holds a path. */
export async function freeBytesOf(path: string): Promise<number> {
  return (await freeSpaceOf(path)).bytes;
}
