import { isUtf8 } from 'node:buffer';
import { badRequest } from './problem';
import type { SlicedWork } from './slices';

/** Bytes between two pauses. */
const REST_BYTES = 1024 * 1024;
/** The maximum number of bytes after the first byte of a character. */
const MORE_BYTES_MAX = 3;

/** Whether all bytes are strictly UTF-8. */
export function* areUtf8(bytes: Uint8Array): SlicedWork<boolean> {
  for (let from = 0; from < bytes.length;) {
    const to = endOfCharacter(bytes, from + REST_BYTES);
    if (!isUtf8(bytes.subarray(from, to))) return false;
    from = to;
    yield;
  }
  return true;
}

/**
 * @param what the name of the bytes in the refusal, such as `The body`
 * @throws Problem 400 unless all bytes are strict UTF-8
 */
export function* checkUtf8(bytes: Uint8Array, what: string): SlicedWork<void> {
  if (!(yield* areUtf8(bytes))) throw badRequest(`${what} is not valid UTF-8.`);
}

/** The next place that does not cut a character; invalid bytes may be cut anywhere. */
function endOfCharacter(bytes: Uint8Array, place: number): number {
  let end = place;
  while (end < bytes.length && end - place < MORE_BYTES_MAX && (bytes[end]! & 0xc0) === 0x80) end += 1;
  return Math.min(end, bytes.length);
}
