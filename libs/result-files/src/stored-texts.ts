import { addAbortSignal, type Readable } from 'node:stream';
import type { ResultFileName } from '@proctor/contracts';
import type { ArtifactsIndex } from './artifacts-index';
import { contentFrom, TooFar } from './block-reader';
import { INDEX_BYTES_MAX } from './log-index';
import { readWithin } from './read-within';
import type { TarMember } from './tar-members';

/** Opens a file of a result, or its bytes from `start` on; null when it does not exist. */
export type OpenResultFile = (
  name: ResultFileName,
  start?: number,
) => Promise<{ size: number; content: Readable } | null>;

/**
 * The whole text of an index; null if there is none, or it is too long.
 * @param ms how long it is read
 * @throws errors of `open`, and of its file; TooFar if it is not read in time
 */
export async function wholeText(
  open: OpenResultFile,
  name: ResultFileName,
  ms: number,
): Promise<string | null> {
  const stored = await open(name);
  if (!stored || stored.size > INDEX_BYTES_MAX) {
    stored?.content.destroy();
    return null;
  }
  const parts: Buffer[] = [];
  for await (const part of readWithin(ms, name, (late) => addAbortSignal(late, stored.content)))
    parts.push(part);
  return Buffer.concat(parts).toString();
}

/**
 * The text of a file in the artifacts; null when the archive differs from its index, or the time is over.
 * @param passMs how long the archive is read
 */
export async function memberText(
  open: OpenResultFile,
  { blocks }: ArtifactsIndex,
  { offset, size }: TarMember,
  passMs: number,
): Promise<string | null> {
  const openAt = async (start: number): Promise<Readable> => {
    const part = await open('artifacts.tar.gz', start);
    if (!part) throw new NotThere();
    return part.content;
  };
  const content = (signal: AbortSignal) => contentFrom(openAt, blocks, offset, { skipMs: passMs, signal });
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of readWithin(passMs, 'artifacts.tar.gz', content)) {
      parts.push(part);
      length += part.length;
      if (length >= size) break;
    }
  } catch (error) {
    if (error instanceof NotThere || error instanceof TooFar || isNoGzip(error)) return null;
    throw error;
  }
  return length < size ? null : Buffer.concat(parts).subarray(0, size).toString();
}

/** There is no archive. */
class NotThere extends Error {}

function isNoGzip(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}
