import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stripVTControlCharacters } from 'node:util';
import { createGunzip } from 'node:zlib';

export interface ShownLog {
  text: string;
  lines: number;
  /** Lines of the whole log. */
  linesTotal: number;
}

const TAIL_BYTES_MAX = 512 * 1024;
const NEWLINE = 10;

/**
 * The end of a compressed log as text without terminal codes. Memory stays bounded whatever the log's size is.
 * @throws what the stream throws; Error for bytes that are not gzip
 */
export async function logTail(gzip: Readable, linesMax: number): Promise<ShownLog> {
  let tail = Buffer.alloc(0);
  let newlines = 0;
  let endsInNewline = true;
  await pipeline(gzip, createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      for (const byte of chunk) if (byte === NEWLINE) newlines += 1;
      endsInNewline = chunk.at(-1) === NEWLINE;
      tail = Buffer.concat([tail, chunk]).subarray(-TAIL_BYTES_MAX);
    }
  });
  const linesTotal = newlines + (endsInNewline ? 0 : 1);
  const lines = tail.toString('utf8').split('\n');
  if (lines.at(-1) === '') lines.pop();
  const last = lines.slice(-linesMax).map(printable);
  return { text: last.join('\n'), lines: last.length, linesTotal };
}

/** What a progress bar overwrote is left out; other control characters are no text. */
function printable(line: string): string {
  const shown = stripVTControlCharacters(line).replace(/\r+$/, '');
  return shown.slice(shown.lastIndexOf('\r') + 1).replace(/[^\P{Cc}\t]/gu, '\ufffd');
}
