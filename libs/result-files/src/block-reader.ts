import type { Readable } from 'node:stream';
import { constants, createGunzip, createInflateRaw } from 'node:zlib';
import type { GzipBlock } from './block-gzip';

/** Opens a file from a byte to its end. The caller reads or destroys it. */
export type OpenAt = (byte: number) => Promise<Readable>;

/** Limits for reading before the first result. */
export interface ReadingLimits {
  /** Ends the reading. */
  signal?: AbortSignal | undefined;
  /** How long bytes before the wanted one may be skipped. */
  skipMs?: number;
}

/** The wanted bytes are too far from the place where reading can start, or their time is over. */
export class TooFar extends Error {}

/**
 * The content of a gzip file from byte `from` on, decompressed from the nearest block before it; without blocks from
 * its start. Stops reading the file when its own reader stops.
 * @param blocks in order; a worker may have written wrong ones: then this throws, or yields other bytes
 * @throws what `open` throws; TooFar; the reason of the signal; Error for bytes that are not gzip
 */
export async function* contentFrom(
  open: OpenAt,
  blocks: readonly GzipBlock[],
  from: number,
  { signal, skipMs = Infinity }: ReadingLimits = {},
): AsyncGenerator<Buffer> {
  signal?.throwIfAborted();
  const block = blocks[lastAtMost(blocks, (each) => each.offset, from)];
  const gzip = await open(block?.gzipOffset ?? 0);
  if (signal?.aborted) gzip.destroy();
  signal?.throwIfAborted();
  const decompressed = block ? createInflateRaw({ finishFlush: constants.Z_SYNC_FLUSH }) : createGunzip();
  gzip.on('error', (error) => decompressed.destroy(error));
  const end = (): void => void decompressed.destroy(signal?.reason as Error);
  signal?.addEventListener('abort', end);
  gzip.pipe(decompressed);
  const until = performance.now() + skipMs;
  try {
    let skip = from - (block?.offset ?? 0);
    for await (const chunk of decompressed as AsyncIterable<Buffer>) {
      if (skip < chunk.length) yield skip > 0 ? chunk.subarray(skip) : chunk;
      else if (performance.now() > until) throw new TooFar(`byte ${from} is too far to be read`);
      skip = Math.max(0, skip - chunk.length);
    }
  } finally {
    signal?.removeEventListener('abort', end);
    decompressed.destroy();
    gzip.destroy();
  }
}

/** The index of the last item whose value is at most `most`, in ascending items; -1 without one. */
export function lastAtMost<Item>(
  items: readonly Item[],
  value: (item: Item) => number,
  most: number,
): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value(items[middle]!) <= most) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
