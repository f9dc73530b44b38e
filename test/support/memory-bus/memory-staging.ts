import { createHash } from 'node:crypto';
import { StreamFull, type StagedContent, type StagedUpload, type StagingContents } from '@libs/bus/src/bus';
import type { BusLimits } from '@libs/bus/src/limits';

/** The staging areas: for each worker the chunks of its uploads, and the names of those that are whole. */
export class MemoryStaging {
  private readonly areas = new Map<string, Area>();

  constructor(private readonly limits: Pick<BusLimits, 'stagingBytesMax' | 'stagingMax'>) {}

  /** @param requireConnection throws if the client has lost its connection: chunks that were uploaded before stay */
  async put(
    worker: string,
    name: string,
    content: AsyncIterable<Buffer>,
    requireConnection: () => void,
  ): Promise<StagedContent> {
    const area = this.area(worker);
    const id = area.newId();
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of content) {
      requireConnection();
      area.append(id, name, chunk);
      hash.update(chunk);
      size += chunk.length;
    }
    requireConnection();
    area.name(id, name);
    return { size, sha256: hash.digest('hex') };
  }

  get(worker: string, name: string): Buffer | null {
    const { names, chunks } = this.area(worker);
    const id = names.get(name);
    return id === undefined ? null : Buffer.concat(chunks.get(id) ?? []);
  }

  drop(worker: string, name: string): void {
    const id = this.area(worker).names.get(name);
    if (id !== undefined) this.dropUpload({ worker, id, name });
  }

  contents(): StagingContents[] {
    const { stagingBytesMax: bytesMax, stagingMax: messagesMax } = this.limits;
    return [...this.areas].flatMap(([worker, area]) => {
      const uploads = area.uploads(worker);
      if (uploads.length === 0) return [];
      const { bytes, messages } = area;
      return [{ worker, bytes, bytesMax, messages, messagesMax, uploads, strays: [] }];
    });
  }

  dropUpload({ worker, id, name }: Pick<StagedUpload, 'worker' | 'id' | 'name'>): void {
    const { names, chunks } = this.area(worker);
    if (name !== null && names.get(name) === id) names.delete(name);
    chunks.delete(id);
  }

  /** Uploads under way are lost as a whole. */
  lose(): void {
    this.areas.clear();
  }

  private area(worker: string): Area {
    const area = this.areas.get(worker) ?? new Area(worker, this.limits);
    this.areas.set(worker, area);
    return area;
  }
}

class Area {
  readonly chunks = new Map<string, Buffer[]>();
  /** name → id of the upload */
  readonly names = new Map<string, string>();
  private lastId = 0;

  constructor(
    private readonly worker: string,
    private readonly limits: Pick<BusLimits, 'stagingBytesMax' | 'stagingMax'>,
  ) {}

  newId(): string {
    return String(++this.lastId);
  }

  append(id: string, name: string, chunk: Buffer): void {
    this.requireRoom(name, chunk.length);
    const chunks = this.chunks.get(id) ?? [];
    this.chunks.set(id, chunks);
    chunks.push(Buffer.from(chunk));
  }

  name(id: string, name: string): void {
    this.requireRoom(name, 0);
    this.names.set(name, id);
  }

  uploads(worker: string): StagedUpload[] {
    const ids = new Set([...this.chunks.keys(), ...this.names.values()]);
    const nameOf = new Map([...this.names].map(([name, id]) => [id, name]));
    return [...ids].map((id) => {
      return { worker, id, name: nameOf.get(id) ?? null, chunks: this.chunks.get(id)?.length ?? 0 };
    });
  }

  get bytes(): number {
    return [...this.chunks.values()].flat().reduce((sum, { length }) => sum + length, 0);
  }

  get messages(): number {
    return [...this.chunks.values()].reduce((sum, { length }) => sum + length, this.names.size);
  }

  private requireRoom(name: string, bytes: number): void {
    const { stagingBytesMax, stagingMax } = this.limits;
    if (this.bytes + bytes > stagingBytesMax || this.messages >= stagingMax)
      throw new StreamFull(`${name}: the staging area of ${this.worker} is full`);
  }
}
