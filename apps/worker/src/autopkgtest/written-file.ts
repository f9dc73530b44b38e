import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

/** Size and hash of a file that was written. */
export interface WrittenFile {
  /** Bytes. */
  size: number;
  /** Lower-case hex. */
  sha256: string;
}

/** Writes a file that only this user can read, replaces an older one, and computes size and hash while writing. */
export async function writeHashed(path: string, content: AsyncIterable<Buffer>): Promise<WrittenFile> {
  const hash = createHash('sha256');
  let size = 0;
  const file = await open(path, 'w', 0o600);
  try {
    for await (const chunk of content) {
      await file.writeFile(chunk);
      hash.update(chunk);
      size += chunk.length;
    }
  } finally {
    await file.close();
  }
  return { size, sha256: hash.digest('hex') };
}
