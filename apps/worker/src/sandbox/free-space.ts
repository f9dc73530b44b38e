import { statfs } from 'node:fs/promises';

/** Bytes that anybody may still use of the file system that holds a path. */
export async function freeBytesOf(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}
