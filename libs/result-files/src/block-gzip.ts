import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import { inPieces } from './pieces';

/** Bytes of content in a block. Each block is compressed on its own, so that reading can start at any of them. */
export const BLOCK_BYTES = 256 * 1024;
/** Content after the last block can be read only from there. */
const BLOCKS_MAX = 16_384;

/** A place in a gzip file where decompression can start. */
export interface GzipBlock {
  /** Byte of the gzip file. */
  gzipOffset: number;
  /** Byte of the content. */
  offset: number;
}

/** RFC 1952: deflate, no name, no time, of Unix. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
/** RFC 1951: a last block without content. */
const LAST_BLOCK = Buffer.from([3, 0]);

const deflate = promisify<Buffer, object, Buffer>(deflateRaw);

/**
 * Compresses content into a gzip file: one ordinary member, the same bytes for the same content. Each block of
 * BLOCK_BYTES ends with a full flush, after which the earlier content is not needed.
 * @param onBlock called with each block's content in order, and with the place where reading can start for it; null
 * from BLOCKS_MAX on
 */
export async function* blockGzip(
  content: AsyncIterable<Buffer>,
  onBlock: (content: Buffer, block: GzipBlock | null) => void,
): AsyncGenerator<Buffer> {
  let [gzipOffset, offset, checksum, blocks] = [HEADER.length, 0, 0, 0];
  yield HEADER;
  for await (const block of inPieces(content, BLOCK_BYTES)) {
    onBlock(block, ++blocks <= BLOCKS_MAX ? { gzipOffset, offset } : null);
    const compressed = await deflate(block, { finishFlush: constants.Z_FULL_FLUSH });
    yield compressed;
    checksum = crc32(block, checksum);
    gzipOffset += compressed.length;
    offset += block.length;
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(checksum, 0);
  trailer.writeUInt32LE(offset % 2 ** 32, 4);
  yield Buffer.concat([LAST_BLOCK, trailer]);
}
