import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

type Versions = ReadonlyMap<string, string>;

/** A list as its row has it. */
export interface PackedList {
  digest: Buffer;
  /** Whether it can be read with its base alone. */
  hasBase: boolean;
  content: Buffer;
}

/** Of a list as text; what was kept is no longer than what was accepted. */
const TEXT_BYTES_MAX = 16 * 1024 * 1024;

/** A list that shares less with its base is kept as a whole: it is the next base then. */
const OF_WHOLE_MAX = 0.5;

/**
 * The text of a list: lines of a name, a tab and a version, by name; where the suite is known that a package came from, of a tab
 * and this as well.
 */
export function listText(packages: Versions, suites: Versions): string {
  const lines = [...packages].map(([name, version]) => {
    const suite = suites.get(name);
    return suite === undefined ? `${name}\t${version}\n` : `${name}\t${version}\t${suite}\n`;
  });
  return lines.sort((a, b) => (a < b ? -1 : 1)).join('');
}

/**
 * Compresses a list. What stands in its base takes next to nothing: zlib looks back over it, as far as 32 KiB.
 * @param base text of another list; null when there is none
 */
export function packedList(text: string, base: string | null): PackedList {
  const bytes = Buffer.from(text);
  const digest = createHash('sha256').update(bytes).digest();
  const whole = deflateRawSync(bytes);
  const rest = base === null ? null : deflateRawSync(bytes, dictionaryOf(base));
  const hasBase = rest !== null && rest.length <= OF_WHOLE_MAX * whole.length;
  return { digest, hasBase, content: hasBase ? rest : whole };
}

/** The text of a list. @param base text of its base; null when it has none */
export function unpackedText(content: Buffer, base: string | null): string {
  const options = { maxOutputLength: TEXT_BYTES_MAX };
  return inflateRawSync(content, base === null ? options : { ...options, ...dictionaryOf(base) }).toString();
}

/** The list that a text is of. Those of earlier versions have no suites. */
export function listOf(text: string): { packages: Map<string, string>; suites: Map<string, string> } {
  const packages = new Map<string, string>();
  const suites = new Map<string, string>();
  for (const line of text.split('\n').slice(0, -1)) {
    const [name, version, suite] = line.split('\t') as [string, string, string?];
    packages.set(name, version);
    if (suite !== undefined) suites.set(name, suite);
  }
  return { packages, suites };
}

/** zlib refuses an empty one. */
function dictionaryOf(base: string): { dictionary?: Buffer } {
  return base === '' ? {} : { dictionary: Buffer.from(base) };
}
