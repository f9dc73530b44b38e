import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

/** What is known of a file once it is written. */
export interface WrittenFile {
  /** Bytes. */
  size: number;
  /** Lower-case hex. */
  sha256: string;
}

/** Writes a file for this user alone, in place of what is there, and learns of it what would have to be read again later. */
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
