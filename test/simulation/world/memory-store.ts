import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  ResultStore,
  StoreMismatch,
  StoreUnavailable,
  type ExpectedContent,
  type StoredFile,
} from '@proctor/store';
import type { Random } from './random';
import type { SimulatedProcess } from './simulated-process';

/** The store in memory: remembers only which files it has. */
export class MemoryStore extends ResultStore {
  /** `{runId}/{attempt}/{name}` */
  readonly files = new Set<string>();
  isAway = false;
  isSlow = false;

  /** Everything works again. */
  mend(): void {
    this.isAway = this.isSlow = false;
  }

  async save(
    runId: number,
    attempt: number,
    name: string,
    content: Readable,
    expected: ExpectedContent,
  ): Promise<void> {
    const sha256 = createHash('sha256')
      .update(await buffer(content))
      .digest('hex');
    this.requirePresence();
    if (sha256 !== expected.sha256) throw new StoreMismatch(`${name}: another checksum`);
    this.files.add(`${runId}/${attempt}/${name}`);
  }

  open(): Promise<StoredFile | null> {
    return Promise.reject(new Error('no results are read in the simulation'));
  }

  async remove(runId: number, attempt: number): Promise<void> {
    this.requirePresence();
    for (const file of this.files) if (file.startsWith(`${runId}/${attempt}/`)) this.files.delete(file);
    return Promise.resolve();
  }

  private requirePresence(): void {
    if (this.isAway) throw new StoreUnavailable('the store', new Error('it is away'));
  }
}

/** The store as one process uses it: what the process has begun goes on only while it runs. */
export class ProcessStore extends ResultStore {
  constructor(
    private readonly store: MemoryStore,
    private readonly process: SimulatedProcess,
    private readonly random: Random,
  ) {
    super();
  }

  async save(...file: Parameters<MemoryStore['save']>): Promise<void> {
    await this.slowness();
    await this.process.gate(this.store.save(...file));
  }

  open(): Promise<StoredFile | null> {
    return this.store.open();
  }

  async remove(runId: number, attempt: number): Promise<void> {
    await this.slowness();
    await this.process.gate(this.store.remove(runId, attempt));
  }

  private async slowness(): Promise<void> {
    if (!this.store.isSlow) return;
    const ms = this.random.between(500, 90_000);
    await new Promise<void>((resolve) => this.process.clock.after(ms, resolve));
  }
}
