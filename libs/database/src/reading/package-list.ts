import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

type Versions = ReadonlyMap<string, string>;

/** A list in the form of its row. */
interface PackedList {
  digest: Buffer;
  /** Whether its base is needed to read it. */
  hasBase: boolean;
  content: Buffer;
}

/** The limit of a list as text. The stored form is not longer than what was accepted. */
const TEXT_BYTES_MAX = 16 * 1024 * 1024;

/**
 * A list whose compressed size with its base is more than this share is stored without a base, and is the next base.
 */
const OF_WHOLE_MAX = 0.5;

/**
 * The text of a list, sorted by name. A line has the name and the version, separated by a tab, and a second tab with
 * the suite of the package if it is known.
 */
export function listText(packages: Versions, suites: Versions): string {
  const lines = [...packages].map(([name, version]) => {
    const suite = suites.get(name);
    return suite === undefined ? `${name}\t${version}\n` : `${name}\t${version}\t${suite}\n`;
  });
  return lines.sort((a, b) => (a < b ? -1 : 1)).join('');
}

/**
 * Compresses a list. Lines that are also in the base need almost no space: zlib looks back over 32 KiB of it.
 * @param base the text of another list; null if there is none
 */
export function packedList(text: string, base: string | null): PackedList {
  const bytes = Buffer.from(text);
  const digest = createHash('sha256').update(bytes).digest();
  const whole = deflateRawSync(bytes);
  const rest = base === null ? null : deflateRawSync(bytes, dictionaryOf(base));
  const hasBase = rest !== null && rest.length <= OF_WHOLE_MAX * whole.length;
  return { digest, hasBase, content: hasBase ? rest : whole };
}

/** Decompresses the text of a list. @param base the text of its base; null if it has none */
export function unpackedText(content: Buffer, base: string | null): string {
  const options = { maxOutputLength: TEXT_BYTES_MAX };
  return inflateRawSync(content, base === null ? options : { ...options, ...dictionaryOf(base) }).toString();
}

/** Parses the text of a list. Lists of earlier versions have no suites. */
export function parseList(text: string): { packages: Map<string, string>; suites: Map<string, string> } {
  const packages = new Map<string, string>();
  const suites = new Map<string, string>();
  for (const line of text.split('\n').slice(0, -1)) {
    const [name, version, suite] = line.split('\t') as [string, string, string?];
    packages.set(name, version);
    if (suite !== undefined) suites.set(name, suite);
  }
  return { packages, suites };
}

/** The dictionary of a base. zlib refuses an empty one. */
function dictionaryOf(base: string): { dictionary?: Buffer } {
  return base === '' ? {} : { dictionary: Buffer.from(base) };
}
