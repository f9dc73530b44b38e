import type { DispatchedRun } from './journal-records';
import { arrivedBefore } from './order';

const CHUNK_LENGTH_MAX = 1024;

/**
 * Runs in order of arrival, in chunks. To add at the end, to find and to remove cost about the same for any length; a
 * run costs little more than the eight bytes that point at it.
 */
export class SortedRuns {
  /** Chunks of runs; none is empty. */
  private chunks: DispatchedRun[][] = [];
  private length = 0;

  constructor(private readonly chunkLengthMax = CHUNK_LENGTH_MAX) {}

  get size(): number {
    return this.length;
  }

  first(): DispatchedRun | undefined {
    return this.chunks[0]?.[0];
  }

  last(): DispatchedRun | undefined {
    return this.chunks.at(-1)?.at(-1);
  }

  *[Symbol.iterator](): Iterator<DispatchedRun> {
    for (const chunk of this.chunks) yield* chunk;
  }

  /** A run that it already has is not added again. */
  add(run: DispatchedRun): void {
    const last = this.last();
    if (!last || arrivedBefore(last, run)) this.append(run);
    else this.insert(run);
  }

  remove(run: DispatchedRun): boolean {
    const place = this.chunkOf(run);
    const chunk = this.chunks[place];
    if (!chunk) return false;
    const index = countBeforeIn(chunk, run);
    if (chunk[index]?.runId !== run.runId) return false;
    if (index === 0) chunk.shift();
    else chunk.splice(index, 1);
    this.length -= 1;
    this.shrink(place, chunk);
    return true;
  }

  /** The number of runs that arrived before `run`, which need not be among them. */
  countBefore(run: DispatchedRun): number {
    return this.countWhile((other) => arrivedBefore(other, run));
  }

  /** How many runs at the beginning have a property that no later run has. */
  countWhile(holds: (run: DispatchedRun) => boolean): number {
    const first = this.first();
    if (!first || !holds(first)) return 0;
    const place = countTrue(this.chunks.length, (index) => holds(this.chunks[index]![0]!)) - 1;
    let count = 0;
    for (let before = 0; before < place; before += 1) count += this.chunks[before]!.length;
    const chunk = this.chunks[place]!;
    return count + countTrue(chunk.length, (index) => holds(chunk[index]!));
  }

  private append(run: DispatchedRun): void {
    const chunk = this.chunks.at(-1);
    if (chunk && chunk.length < this.chunkLengthMax) chunk.push(run);
    else this.chunks.push([run]);
    this.length += 1;
  }

  private insert(run: DispatchedRun): void {
    const place = this.chunkOf(run);
    const chunk = this.chunks[place]!;
    const index = countBeforeIn(chunk, run);
    if (chunk[index]?.runId === run.runId) return;
    chunk.splice(index, 0, run);
    this.length += 1;
    if (chunk.length > this.chunkLengthMax) this.chunks.splice(place + 1, 0, chunk.splice(chunk.length >> 1));
  }

  /** The first chunk whose last run did not arrive before `run`: the one that has it, if any does. */
  private chunkOf(run: DispatchedRun): number {
    return countTrue(this.chunks.length, (index) => arrivedBefore(this.chunks[index]!.at(-1)!, run));
  }

  /** Small neighbours are joined, otherwise there would be as many chunks as runs after a while. */
  private shrink(place: number, chunk: DispatchedRun[]): void {
    if (chunk.length === 0) this.chunks.splice(place, 1);
    else if (this.isSmall(place)) this.join(place);
    else if (this.isSmall(place - 1)) this.join(place - 1);
  }

  /** Whether a chunk and the next one fill half a chunk together at most. */
  private isSmall(place: number): boolean {
    const chunk = this.chunks[place];
    const next = this.chunks[place + 1];
    return chunk && next ? chunk.length + next.length <= this.chunkLengthMax >> 1 : false;
  }

  private join(place: number): void {
    this.chunks.splice(place, 2, this.chunks.slice(place, place + 2).flat());
  }
}

function countBeforeIn(chunk: DispatchedRun[], run: DispatchedRun): number {
  return countTrue(chunk.length, (index) => arrivedBefore(chunk[index]!, run));
}

/** How many whole numbers from 0 up, below `length`, make `holds` true; after the first false all are false. */
function countTrue(length: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
