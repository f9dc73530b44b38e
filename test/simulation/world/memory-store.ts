import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ResultStore, StoreMismatch, type ExpectedContent, type StoredFile } from '@proctor/store';

/** The store in memory: remembers only which files it has. */
export class MemoryStore extends ResultStore {
  /** `{runId}/{attempt}/{name}` */
  readonly files = new Set<string>();

  async put(
    runId: number,
    attempt: number,
    name: string,
    content: Readable,
    expected: ExpectedContent,
  ): Promise<void> {
    const sha256 = createHash('sha256')
      .update(await buffer(content))
      .digest('hex');
    if (sha256 !== expected.sha256) throw new StoreMismatch(`${name}: another checksum`);
    this.files.add(`${runId}/${attempt}/${name}`);
  }

  open(): Promise<StoredFile | null> {
    return Promise.reject(new Error('nobody reads results in the simulation'));
  }

  remove(runId: number, attempt: number): Promise<void> {
    for (const file of this.files) if (file.startsWith(`${runId}/${attempt}/`)) this.files.delete(file);
    return Promise.resolve();
  }
}
