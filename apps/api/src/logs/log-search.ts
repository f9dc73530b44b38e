import { TooFar } from '@proctor/result-files';

const NEWLINE = '\n';
/** How many bytes of the line are shown before and after a match. */
const AROUND = 200;

/** How many lines one search returns. */
export const HITS_MAX = 200;
/** Longest text to search for, in UTF-16 units. */
export const SEARCH_LENGTH_MAX = 200;

interface LogHit {
  line: number;
  /** The part of the line around the match. */
  text: string;
}

export interface LogSearch {
  hits: LogHit[];
  /** The first line that was not searched, because of time or the number of hits; null if all were. */
  cutAt: number | null;
}

/** The longest line that is searched as a whole. */
const LINE_BYTES_MAX = 1024 * 1024;

/**
 * Searches a log while it is read, ignoring the case of ASCII letters. What was read until a TooFar is searched.
 * @param number of the line in which the content begins
 * @param first the first line to search
 */
export async function searchLines(
  content: AsyncIterable<Buffer>,
  number: number,
  text: string,
  first: number,
  hitsMax: number,
): Promise<LogSearch> {
  const needle = comparable(Buffer.from(text));
  const hits: LogHit[] = [];
  let rest = Buffer.alloc(0);
  let line = number;
  try {
    for await (const chunk of content) {
      const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const end = all.length > LINE_BYTES_MAX ? all.length : all.lastIndexOf(NEWLINE) + 1;
      line = search(all.subarray(0, end), line);
      rest = Buffer.from(all.subarray(end));
      if (hits.length >= hitsMax) return { hits, cutAt: hits.at(-1)!.line + 1 };
    }
  } catch (error) {
    if (error instanceof TooFar) return { hits, cutAt: line };
    throw error;
  }
  search(rest, line);
  return { hits, cutAt: null };

  /** @returns the next line */
  function search(bytes: Buffer, from: number): number {
    const latin = comparable(bytes);
    let [at, countEnd] = [from, 0];
    for (let hitAt = latin.indexOf(needle); hitAt !== -1;) {
      at += count(latin, countEnd, hitAt);
      countEnd = hitAt;
      if (hits.length >= hitsMax) return at;
      if (at >= first && hits.at(-1)?.line !== at) hits.push({ line: at, text: around(bytes, hitAt) });
      const next = latin.indexOf(NEWLINE, hitAt);
      hitAt = next === -1 ? -1 : latin.indexOf(needle, next);
    }
    return at + count(latin, countEnd, latin.length);
  }
}

/**
 * One character for each byte. Only ASCII letters are converted to lower case: the other bytes are parts of
 * characters.
 */
function comparable(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function count(text: string, from: number, to: number): number {
  let newlines = 0;
  for (let at = text.indexOf(NEWLINE, from); at !== -1 && at < to; at = text.indexOf(NEWLINE, at + 1))
    newlines += 1;
  return newlines;
}

function around(bytes: Buffer, hitAt: number): string {
  const begin = Math.max(bytes.lastIndexOf(NEWLINE, hitAt) + 1, hitAt - AROUND);
  const newline = bytes.indexOf(NEWLINE, hitAt);
  const end = Math.min(newline === -1 ? bytes.length : newline, hitAt + AROUND);
  return bytes.subarray(begin, end).toString('utf8');
}
