import type { Readable } from 'node:stream';
import { constants, createGunzip, createInflateRaw } from 'node:zlib';
import type { GzipBlock } from './block-gzip';

/** Opens a file from a byte on, to its end. Who opened it reads or destroys it. */
export type OpenAt = (byte: number) => Promise<Readable>;

/** How far reading may go before it has brought anything. */
export interface ReadingLimits {
  /** Ends the reading. */
  signal?: AbortSignal | undefined;
  /** For so long what comes before the wanted byte is passed over. */
  skipMs?: number;
}

/** What was to be read is too far from where reading could begin. */
export class TooFar extends Error {}

/**
 * The content of a gzip file from byte `from` on: it is decompressed from the nearest block before it. Without blocks the
 * file is decompressed from its beginning. Ends the reading of the file when its own reader goes away.
 * @param blocks in order; they may come from a worker and be wrong: then this throws, or yields other bytes
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

/** The place of the last item whose value is at most this, in ascending items; -1 when there is none. */
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
