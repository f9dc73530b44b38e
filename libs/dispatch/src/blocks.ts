import type { CountedPart, Stretch } from './journal';
import type { QueuePlace } from './journal-records';
import { arrivedBefore } from './order';

/** Successive runs of a line; another block replaces it whenever its count may no longer be true. */
export interface Block {
  /** The last place of the block; null if the block is the rest of the line. */
  readonly end: QueuePlace | null;
  /** The number of runs; null if unknown. */
  readonly count: number | null;
}

/** When a line has this many blocks, small neighbours are joined. */
const JOINED_FROM = 64;

/**
 * How many runs of a line lie beyond its edge, by blocks. A count comes from the rows; any change that may have happened since
 * makes its block unknown, so no run is ever added or subtracted twice. Unknown blocks are counted when
 * they are needed.
 */
export class Blocks {
  private blocks: Block[] = [{ end: null, count: null }];
  /** Blocks whose count is needed but unknown. */
  private readonly needed = new Set<Block>();
  private joinedFrom = JOINED_FROM;

  /** @param edge the place before all these runs */
  constructor(private edge: QueuePlace) {
    this.needed.add(this.blocks[0]!);
  }

  /** Whether an unknown count is needed. */
  get isNeeded(): boolean {
    return this.needed.size > 0;
  }

  /** Moves the edge of the line to another place. */
  startAfter(edge: QueuePlace): void {
    const isMoved = this.edge.arrivedAt !== edge.arrivedAt || this.edge.runId !== edge.runId;
    this.edge = edge;
    while (this.blocks[0]!.end && !arrivedBefore(edge, this.blocks[0]!.end))
      this.needed.delete(this.blocks.shift()!);
    if (isMoved) this.markUnknown(0);
  }

  /** Records that a run came to this place or left it. */
  touch(place: QueuePlace): void {
    if (arrivedBefore(this.edge, place)) this.markUnknown(this.indexOf(place));
  }

  /** The number of all runs; null if they must be counted first. */
  countAll(): number | null {
    return this.sumOf(this.blocks.length);
  }

  /** The number of runs in counted blocks. Requests the counts of the other blocks. */
  countKnown(): number {
    this.countAll();
    return this.blocks.reduce((sum, { count }) => sum + (count ?? 0), 0);
  }

  /** The number of runs up to a place; null if they must be counted first. */
  countUpTo(place: QueuePlace): number | null {
    if (!arrivedBefore(this.edge, place)) return 0;
    const index = this.indexOf(place);
    const block = this.blocks[index]!;
    const endsThere = block.end && !arrivedBefore(place, block.end);
    if (!endsThere && block.count !== 0) this.splitAt(index, place);
    return this.sumOf(index + 1);
  }

  /** The stretches that must be counted in the rows. */
  *stretches(): Iterable<Stretch & { block: Block }> {
    for (const [index, block] of this.blocks.entries()) {
      if (!this.needed.has(block)) continue;
      yield { block, after: this.blocks[index - 1]?.end ?? this.edge, upTo: block.end };
    }
  }

  /**
   * Sets the counts from the rows of a block; ignored if the block was replaced meanwhile.
   * @param isAll whether the block has only the runs of `parts`
   * @param lengthMax the maximum number of runs of a joined block
   */
  setCounts(block: Block, parts: CountedPart[], isAll: boolean, lengthMax: number): void {
    const index = this.blocks.indexOf(block);
    if (index === -1) return;
    this.needed.delete(block);
    const countedParts: Block[] = isAll ? parts.slice(0, -1) : [...parts];
    const last = { end: block.end, count: isAll ? (parts.at(-1)?.count ?? 0) : null };
    if (!isAll) this.needed.add(last);
    this.blocks.splice(index, 1, ...countedParts, last);
    if (this.blocks.length >= this.joinedFrom) this.join(lengthMax);
  }

  private sumOf(length: number): number | null {
    let sum = 0;
    let isKnown = true;
    for (let index = 0; index < length; index += 1) {
      const block = this.blocks[index]!;
      sum += block.count ?? 0;
      if (block.count !== null) continue;
      this.needed.add(block);
      isKnown = false;
    }
    return isKnown ? sum : null;
  }

  private splitAt(index: number, { arrivedAt, runId }: QueuePlace): void {
    const block = this.blocks[index]!;
    this.needed.delete(block);
    const halves = [{ arrivedAt, runId }, block.end].map((end) => ({ end, count: null }));
    this.blocks.splice(index, 1, ...halves);
  }

  private markUnknown(index: number): void {
    const block = this.blocks[index]!;
    this.needed.delete(block);
    this.blocks[index] = { end: block.end, count: null };
  }

  /** The block that a place is in. */
  private indexOf(place: QueuePlace): number {
    let low = 0;
    let high = this.blocks.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (arrivedBefore(this.blocks[middle]!.end!, place)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private join(lengthMax: number): void {
    const joined: Block[] = [];
    for (const block of this.blocks) {
      const before = joined.at(-1);
      const isJoined = before && before.count !== null && block.count !== null;
      if (isJoined && before.count + block.count <= lengthMax)
        joined[joined.length - 1] = { end: block.end, count: before.count + block.count };
      else joined.push(block);
    }
    this.blocks = joined;
    this.joinedFrom = JOINED_FROM + 2 * joined.length;
  }
}
