import { createHash } from 'node:crypto';
import { StreamFull, type StagedContent, type StagedUpload, type StagingContents } from './bus';

/** The staging bucket: the chunks of each upload, and the names of those that are whole. */
export class MemoryStaging {
  private readonly chunks = new Map<string, Buffer[]>();
  /** name → id of the upload */
  private readonly names = new Map<string, string>();
  private lastId = 0;

  constructor(private readonly bytesMax: number) {}

  /** @param requireConnection throws when the client has lost its connection: what it has uploaded so far stays */
  async put(
    name: string,
    content: AsyncIterable<Buffer>,
    requireConnection: () => void,
  ): Promise<StagedContent> {
    const id = String(++this.lastId);
    const hash = createHash('sha256');
    let size = 0;
    try {
      for await (const chunk of content) {
        requireConnection();
        this.append(id, name, chunk);
        hash.update(chunk);
        size += chunk.length;
      }
    } catch (error) {
      requireConnection();
      this.chunks.delete(id);
      throw error;
    }
    requireConnection();
    this.drop(name);
    this.names.set(name, id);
    return { size, sha256: hash.digest('hex') };
  }

  get(name: string): Buffer | null {
    const id = this.names.get(name);
    return id === undefined ? null : Buffer.concat(this.chunks.get(id) ?? []);
  }

  drop(name: string): void {
    const id = this.names.get(name);
    if (id !== undefined) this.dropUpload({ id, name });
  }

  contents(): StagingContents {
    const ids = new Set([...this.chunks.keys(), ...this.names.values()]);
    const nameOf = new Map([...this.names].map(([name, id]) => [id, name]));
    const uploads = [...ids].map((id) => {
      return { id, name: nameOf.get(id) ?? null, chunks: this.chunks.get(id)?.length ?? 0 };
    });
    return { bytes: this.bytes, bytesMax: this.bytesMax, uploads };
  }

  dropUpload({ id, name }: Pick<StagedUpload, 'id' | 'name'>): void {
    if (name !== null && this.names.get(name) === id) this.names.delete(name);
    this.chunks.delete(id);
  }

  /** Uploads under way are lost as a whole. */
  lose(): void {
    this.chunks.clear();
    this.names.clear();
  }

  private append(id: string, name: string, chunk: Buffer): void {
    if (this.bytes + chunk.length > this.bytesMax)
      throw new StreamFull(`${name}: the staging bucket is full`);
    const chunks = this.chunks.get(id) ?? [];
    this.chunks.set(id, chunks);
    chunks.push(Buffer.from(chunk));
  }

  private get bytes(): number {
    return [...this.chunks.values()].flat().reduce((sum, { length }) => sum + length, 0);
  }
}
